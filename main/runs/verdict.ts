import type { ModelFailure } from '#main/models/model-gateway.ts';
import type { PromptOutcome } from '#shared/protocol/sandbox.ts';
import type { Problem } from '#shared/problem.ts';
import type { RunStatus } from '#shared/runs/run.ts';

/** How a run ended, and why where it did not end well. */
export interface Verdict {
  readonly status: Extract<RunStatus, 'success' | 'failed' | 'cancelled' | 'timed_out' | 'interrupted'>;
  readonly problem?: Problem;
}

/** What a verdict on a settled loop is made from. */
export interface VerdictFacts {
  readonly outcome: PromptOutcome;
  /** Requests that reached the provider. */
  readonly modelRequests: number;
  readonly lastModelFailure: ModelFailure | undefined;
  readonly modelName: string;
  /** The agent owes an `output`. */
  readonly outputRequired: boolean;
  readonly hasOutput: boolean;
  /** Required fields of the output's schema. */
  readonly requiredFields: readonly string[];
}

/**
 * The verdict on a loop that settled by itself. The rules are those of the reference (sidecar, sections 4.2
 * and 9.4): a model that failed, that was never reached, or an output that is owed and missing is a failure.
 */
export function judge(facts: VerdictFacts): Verdict {
  const { outcome } = facts;
  if (outcome.stopReason === 'error') return { status: 'failed', problem: modelProblem(facts) };
  if (facts.modelRequests === 0) {
    return {
      status: 'failed',
      problem: {
        code: 'model_never_called',
        title: 'The model was never reached',
        detail: 'The agent ended without one request to its model.',
        action: 'Test the model in Settings, Models.',
      },
    };
  }
  if (facts.outputRequired && !facts.hasOutput) {
    const fields = facts.requiredFields;
    return {
      status: 'failed',
      problem: {
        code: 'output_missing',
        title: 'The agent ended without its output',
        detail:
          fields.length > 0
            ? `It never called the \`output\` tool with data that fits, although it was asked once more. Missing: ${fields.join(', ')}.`
            : 'It never called the `output` tool with data that fits, although it was asked once more.',
        action: 'Say in the prompt when the agent has to call `output`, or use a stronger model.',
        ...(fields.length > 0 && {
          causes: fields.map((field) => ({
            code: 'required',
            detail: `"${field}" is required.`,
            pointer: `/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`,
          })),
        }),
      },
    };
  }
  return { status: 'success' };
}

/** Milliseconds of a model's silence that explain why a run took too long, however long it was allowed. */
const TELLING_SILENCE_MS = 60_000;

/** The verdict on a run that reached its time limit; a model that kept it waiting is named. */
export function judgeTimeout(facts: {
  readonly timeoutSeconds: number;
  readonly modelName: string;
  /** Milliseconds that the run had waited for its model when it was stopped. */
  readonly silentMs: number;
}): Verdict {
  const { timeoutSeconds, modelName, silentMs } = facts;
  const stopped = `stopped after its time limit of ${timeoutSeconds} ${timeoutSeconds === 1 ? 'second' : 'seconds'}. Files and output made until then are kept.`;
  const seconds = Math.round(silentMs / 1000);
  const isModelSilent = silentMs >= Math.min(TELLING_SILENCE_MS, (timeoutSeconds * 1000) / 2);
  return {
    status: 'timed_out',
    problem: isModelSilent
      ? {
          code: 'run_timed_out',
          title: 'The run waited too long for its model',
          detail: `${modelName} had sent nothing for ${seconds} ${seconds === 1 ? 'second' : 'seconds'} when the run was ${stopped}`,
          action:
            'Test the model in Settings, Models, or choose another one. If it is only slow, raise "timeout" in the manifest (at most 1800 seconds).',
        }
      : {
          code: 'run_timed_out',
          title: 'The run took too long',
          detail: `It was ${stopped}`,
          action: 'Raise "timeout" in the manifest (at most 1800 seconds), or give the agent less to do.',
        },
  };
}

function modelProblem({ lastModelFailure, modelName, outcome }: VerdictFacts): Problem {
  const said = lastModelFailure?.detail || outcome.errorMessage || '';
  const detail = said === '' ? '' : ` It said: ${said}`;
  const status = lastModelFailure?.status ?? 0;
  if (status === 401 || status === 403 || lastModelFailure?.isKeyRefused) {
    return {
      code: 'model_key_refused',
      title: 'The provider refused the key',
      detail: `${modelName} answered ${status}.${detail}`,
      action: 'Check the key in Settings, Models, and press Test.',
    };
  }
  if (status === 429) {
    return {
      code: 'model_rate_limited',
      title: 'The provider wants no more requests now',
      detail: `${modelName} answered 429, also after waiting and trying again.${detail}`,
      action: 'Wait a little, check your plan’s limits, or choose another model.',
    };
  }
  if (status >= 500) {
    return {
      code: 'model_server_error',
      title: 'The provider had a fault',
      detail: `${modelName} answered ${status}, also after trying again.${detail}`,
      action: 'Run the agent again later, or choose another model.',
    };
  }
  return {
    code: 'model_failed',
    title: 'The model did not answer',
    detail: `${modelName} could not finish its answer.${detail}`,
    action: 'Test the model in Settings, Models.',
  };
}

/** Names of the required fields of an output's schema that is plain enough to tell. */
export function requiredFieldsOf(schema: Record<string, unknown> | undefined): string[] {
  const required = schema?.['required'];
  return Array.isArray(required)
    ? required.filter((field): field is string => typeof field === 'string')
    : [];
}
