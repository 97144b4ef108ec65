import { PlugZap, SendHorizontal, SquareTerminal } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { EmptyState, Loading } from '#renderer/components/empty-state.tsx';
import { Field, Select } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { useConnectSheet } from '#renderer/features/connections/index.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { useAction, useRequest } from '#renderer/state/requests.ts';
import type { Connection } from '#shared/connections/connection.ts';
import type { PlaygroundTool } from '#shared/ipc/playground-routes.ts';
import type { Problem } from '#shared/problem.ts';
import { usePlaygroundCalls } from '../hooks/use-playground-calls.ts';
import { fieldsOf } from '../model/argument-fields.ts';
import { keepArguments, keptArguments } from '../model/kept-arguments.ts';
import { ArgumentsEditor, useTypedArguments } from './arguments-editor.tsx';
import { CallList } from './call-list.tsx';
import { CallResult } from './call-result.tsx';
import { WorkspaceFiles } from './workspace-files.tsx';

/** Calls an integration's tools by hand, and shows what a model would see. */
export function PlaygroundTab({ integrationId }: { integrationId: string }) {
  const all = useApp(({ connections }) => connections);
  const { open } = useConnectSheet();
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  if (!all) return <Loading label="Loading the connections" />;
  const own = all.connections.filter((connection) => connection.integrationId === integrationId);
  const connection = own.find(({ id }) => id === chosen) ?? own[0];
  if (!connection) {
    return (
      <EmptyState
        icon={<PlugZap size={28} aria-hidden="true" />}
        title="Nothing is connected yet"
        action={
          <Button variant="primary" onClick={() => open({ integrationId, isNew: true })}>
            Connect an account
          </Button>
        }
      >
        With an account you can call this integration’s tools by hand and see exactly what a model would see.
      </EmptyState>
    );
  }
  return (
    <Desk integrationId={integrationId} connections={own} connection={connection} onConnection={setChosen} />
  );
}

function Desk({
  integrationId,
  connections,
  connection,
  onConnection,
}: {
  integrationId: string;
  connections: readonly Connection[];
  connection: Connection;
  onConnection: (id: string) => void;
}) {
  const { calls, problem } = usePlaygroundCalls(integrationId);
  const [shownId, setShownId] = useState<string | undefined>(undefined);
  const [toolName, setToolName] = useState<string | undefined>(undefined);
  /** Another number makes the form anew, with what is kept of it. */
  const [formNumber, setFormNumber] = useState(0);
  const clear = useAction('playground.clear', { onDone: () => setShownId(undefined) });
  const packageState = useApp(({ library }) => library?.packages.find(({ name }) => name === integrationId));
  const filesVersion = calls?.map(({ id, revision }) => `${id} ${revision}`).join();
  const { data, error, isPending, refetch } = useRequest(
    'playground.describe',
    { integrationId, connectionId: connection.id },
    {
      version: [packageState?.updatedAt, connection.updatedAt, filesVersion].join('\n'),
      keepsPrevious: true,
    },
  );
  const connectionId = useId();
  const shown = calls?.find(({ id }) => id === shownId) ?? calls?.[0];
  const tool = data?.tools.find(({ name }) => name === toolName) ?? data?.tools[0];
  const isBusy =
    calls?.some((call) => call.connectionId === connection.id && call.state === 'running') === true;
  return (
    <div className="grid h-full min-h-0 grid-cols-[minmax(20rem,27rem)_minmax(0,1fr)] divide-x divide-line">
      <ScrollRegion label="The call" className="space-y-5 px-6 pt-4 pb-6">
        <Field id={connectionId} label="Account">
          {(attributes) => (
            <Select
              {...attributes}
              value={connection.id}
              onChange={({ target }) => onConnection(target.value)}
            >
              {connections.map(({ id, label, accountId }) => (
                <option key={id} value={id}>
                  {accountId === 'default' || accountId === label ? label : `${label} (${accountId})`}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {error && <ProblemCard problem={error.problem} />}
        {isPending && <Loading label="Loading the tools" />}
        {data && !tool && !error && (
          <p className="text-ink-soft">
            The integration lets no <code>api_call</code> use this account. Tools of an MCP server are called
            on the Server page.
          </p>
        )}
        {data && tool && !error && (
          <CallForm
            key={`${tool.name} ${formNumber}`}
            integrationId={integrationId}
            connectionId={connection.id}
            tools={data.tools}
            tool={tool}
            files={data.files.map(({ path }) => path)}
            isBusy={isBusy}
            onTool={setToolName}
            onCalled={setShownId}
          />
        )}
        {data && (
          <WorkspaceFiles integrationId={integrationId} files={data.files} onAdded={() => void refetch()} />
        )}
      </ScrollRegion>
      <ScrollRegion
        // A new call is looked at from its beginning.
        key={calls?.[0]?.id}
        label="Calls and results"
        className="min-w-0 space-y-5 px-6 pt-4 pb-6"
      >
        {problem && <ProblemCard problem={problem} tone="caution" />}
        {calls?.length === 0 && (
          <EmptyState icon={<SquareTerminal size={28} aria-hidden="true" />} title="No call yet">
            What a model would read, the response behind it and every request that left are shown here. Calls
            go through the same checks as those of a run.
          </EmptyState>
        )}
        {calls && calls.length > 0 && (
          <section aria-label="Calls">
            <div className="mb-1.5 flex items-center gap-2">
              <h3 className="font-semibold">Calls of this session</h3>
              <Button
                size="small"
                variant="ghost"
                className="ml-auto"
                busy={clear.isPending}
                title="Forgets calls, cookies, files and the budget of this session"
                onClick={() => clear.mutate({ integrationId })}
              >
                Start over
              </Button>
            </div>
            <CallList calls={calls} shownId={shown?.id} onShow={setShownId} />
          </section>
        )}
        {shown && (
          <CallResult
            key={shown.id}
            call={shown}
            onReuse={(name, given) => {
              keepArguments(integrationId, name, given);
              setToolName(name);
              setFormNumber(formNumber + 1);
            }}
          />
        )}
      </ScrollRegion>
    </div>
  );
}

function CallForm({
  integrationId,
  connectionId,
  tools,
  tool,
  files,
  isBusy,
  onTool,
  onCalled,
}: {
  integrationId: string;
  connectionId: string;
  tools: readonly PlaygroundTool[];
  tool: PlaygroundTool;
  files: readonly string[];
  /** Another call with this account is under way. */
  isBusy: boolean;
  onTool: (name: string) => void;
  onCalled: (callId: string) => void;
}) {
  const toolId = useId();
  const typed = useTypedArguments(
    fieldsOf(tool.inputSchema),
    () => keptArguments(integrationId, tool.name),
    (given) => keepArguments(integrationId, tool.name, given),
  );
  const [refusal, setRefusal] = useState<Problem | undefined>(undefined);
  const call = useAction('playground.call', {
    onDone: ({ callId }) => onCalled(callId),
    onProblem: setRefusal,
  });
  const unavailable = isBusy ? 'A call with this account is under way' : typed.obstacle;
  const submit = () => {
    if (unavailable !== undefined || call.isPending) return;
    setRefusal(undefined);
    call.mutate({ integrationId, connectionId, tool: tool.name, arguments: { ...typed.given } });
  };
  return (
    <form
      aria-label="Call"
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field id={toolId} label="Tool">
        {(attributes) => (
          <Select {...attributes} value={tool.name} onChange={({ target }) => onTool(target.value)}>
            {tools.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <details>
        <summary className="cursor-pointer text-sm text-ink-soft">What a model is told of it</summary>
        <p className="mt-1 text-sm wrap-anywhere text-ink-soft">{tool.description}</p>
      </details>
      <ArgumentsEditor typed={typed} files={files} />
      {refusal && <ProblemCard problem={refusal} />}
      <div className="sticky -bottom-6 -mx-6 border-y border-line bg-canvas px-6 py-3">
        <Button
          type="submit"
          variant="primary"
          icon={<SendHorizontal size={14} />}
          busy={call.isPending}
          unavailable={unavailable}
        >
          Call
        </Button>
      </div>
    </form>
  );
}
