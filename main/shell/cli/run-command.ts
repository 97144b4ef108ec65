import { styleText } from 'node:util';
import { findExampleStart, type ExampleStart } from '#main/app/example-start.ts';
import { ProblemError } from '#shared/problem.ts';
import type { RunDetail } from '#shared/runs/run.ts';
import { exitCodeOf, type EndSignal } from '../end-signals.ts';
import { chooseConnections } from './choose-connections.ts';
import { copyOutputs, prepareFolder, type CopiedFile } from './copy-outputs.ts';
import { EXIT, exitCodeOfRun } from './exit-codes.ts';
import { followToEnd } from './follow-run.ts';
import { problemText } from '../problem-text.ts';
import { readFileOption, readInput, readTimeout } from './run-request.ts';
import { withApplication, type DataOptions } from './services.ts';
import type { Streams } from './streams.ts';
import { withOpenVault } from './vault-access.ts';

export interface RunOptions extends DataOptions {
  readonly model?: string | undefined;
  readonly input?: string | undefined;
  readonly file: readonly string[];
  readonly connection: readonly string[];
  readonly integrations: 'local' | 'none';
  readonly out?: string | undefined;
  readonly force: boolean;
  readonly json: boolean;
  readonly timeout?: string | undefined;
}

/**
 * Runs one agent from its start to its result.
 * @returns the exit code. @throws ProblemError for everything that keeps the run from starting.
 */
export async function runCommand(agent: string, options: RunOptions, streams: Streams): Promise<number> {
  const timeoutSeconds = readTimeout(options.timeout);
  if (options.integrations === 'none' && options.connection.length > 0) throw noAccounts();
  const files = await Promise.all(options.file.map(readFileOption));
  const input = await readInput(options.input, streams.input);
  const folder = options.out === undefined ? undefined : await prepareFolder(options.out);
  return withApplication(options, async (application) => {
    const model = options.model === undefined ? undefined : application.models.parseReference(options.model);
    const connections = chooseConnections(options.connection, application.connections.state().connections);
    const isBare = options.input === undefined && files.length === 0;
    const example = isBare ? await findExampleStart(application.library, agent) : undefined;
    if (example) await streams.errors.line(describeExample(example));
    const start = example ?? { input, files };
    const run = await withOpenVault(application, streams, () =>
      application.runs.start({
        agent,
        ...start,
        model,
        connections,
        integrations: options.integrations,
        trigger: 'cli',
        timeoutSeconds,
      }),
    );
    const { id, agentId, agentVersion } = run;
    if (options.json)
      await streams.output.json({ type: 'run', runId: id, agentId, agentVersion, model: run.model });

    const signal = await followToEnd(application, id, options.json, streams);
    const detail = application.runs.get(id);
    const copied: CopiedFile[] =
      folder === undefined
        ? detail.outputFiles.map(({ path, size, mediaType }) => ({ path, size, mediaType }))
        : await copyOutputs(application.runs, id, detail.outputFiles, folder, options.force);
    if (options.json) await streams.output.json(resultLine(detail, copied));
    else await tellResult(detail, copied, folder, streams);
    return exitCode(detail, copied, signal, streams.output.broken.aborted);
  });
}

function noAccounts(): ProblemError {
  return new ProblemError({
    code: 'options_conflict',
    title: 'Two choices that exclude each other',
    detail: '--integrations none uses no account, so --connection has none to choose.',
  });
}

function describeExample({ files }: ExampleStart): string {
  const names = files.map(({ originalName }) => originalName);
  const what = names.length > 0 ? ` (${names.join(', ')})` : '';
  return `Neither --file nor --input was given, so the package's own example is used${what}.`;
}

function resultLine({ summary, output }: RunDetail, files: readonly CopiedFile[]): Record<string, unknown> {
  const { id, status, problem, usage, startedAt, endedAt } = summary;
  return {
    type: 'result',
    runId: id,
    status,
    output: output ?? null,
    files,
    usage,
    problem: problem ?? null,
    durationMs: startedAt !== undefined && endedAt !== undefined ? endedAt - startedAt : null,
  };
}

async function tellResult(
  { summary, output }: RunDetail,
  files: readonly CopiedFile[],
  folder: string | undefined,
  streams: Streams,
): Promise<void> {
  const { errors } = streams;
  if (summary.problem) await errors.line(styleText('red', problemText(summary.problem)));
  for (const { problem } of files) if (problem) await errors.line(styleText('yellow', problemText(problem)));
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cost, pricing } = summary.usage;
  const tokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  const price = pricing === 'unpriced' ? 'cost unknown' : `$${cost.toFixed(4)}`;
  const saved = files.filter((file) => file.savedTo !== undefined).length;
  const copies = folder === undefined ? `${files.length} files` : `${saved} files in ${folder}`;
  const parts = [summary.status.replace('_', ' '), copies, `${tokens} tokens`, price, `run ${summary.id}`];
  await errors.line(styleText('bold', parts.join(' · ')));
  if (output !== undefined) await streams.output.line(JSON.stringify(output, null, 2));
}

function exitCode(
  { summary }: RunDetail,
  files: readonly CopiedFile[],
  signal: EndSignal | undefined,
  isBroken: boolean,
): number {
  if (isBroken) return EXIT.brokenPipe;
  if (signal && summary.status === 'cancelled') return exitCodeOf(signal);
  const code = exitCodeOfRun(summary.status, summary.problem);
  const isIncomplete = files.some((file) => file.problem !== undefined);
  return code === EXIT.success && isIncomplete ? EXIT.failed : code;
}
