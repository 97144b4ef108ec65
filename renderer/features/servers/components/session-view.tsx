import { useState, type ReactNode } from 'react';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { TabCount, TabPanel, Tabs, type Tab } from '#renderer/components/tabs.tsx';
import type { ServerSession } from '#shared/ipc/server-routes.ts';
import { useServerLog } from '../hooks/use-server-log.ts';
import { useServerRequest } from '../hooks/use-server-request.ts';
import { AboutServer } from './about-server.tsx';
import { AnswerView } from './answer-view.tsx';
import { ProtocolLog } from './protocol-log.tsx';
import { ServerLists } from './server-lists.tsx';

type Part = 'answer' | 'log' | 'about';

/** One connection: what the server has on the left, what it answers and all that was said on the right. */
export function SessionView({ session, children }: { session: ServerSession; children: ReactNode }) {
  const entries = useServerLog(session.id);
  const { answer, send, cancel } = useServerRequest(session.id);
  const isConnected = session.state === 'connected';
  const [chosen, setPart] = useState<Part | undefined>(undefined);
  const part = chosen ?? (isConnected ? 'about' : 'log');
  const tabs: Tab<Part>[] = [
    { key: 'answer', label: 'Answer' },
    { key: 'log', label: 'Protocol log', extra: <TabCount>{entries.at(-1)?.sequence ?? 0}</TabCount> },
    { key: 'about', label: 'About the server' },
  ];
  return (
    <div className="grid min-h-0 flex-1 grid-cols-[minmax(20rem,26rem)_minmax(0,1fr)] divide-x divide-line">
      <ScrollRegion label="What the server has" className="px-6 pt-4 pb-6">
        {isConnected ? (
          <ServerLists
            session={session}
            isBusy={answer?.state === 'running'}
            onSend={(request) => {
              setPart('answer');
              send(request);
            }}
          />
        ) : (
          children
        )}
      </ScrollRegion>
      <Tabs
        label="The connection"
        narrow
        tabs={tabs}
        current={part}
        onChange={setPart}
        className="flex min-h-0 min-w-0 flex-col"
      >
        <TabPanel value="answer" className="min-h-0 flex-1">
          <ScrollRegion label="Answer of the server" className="h-full px-5 py-4">
            <AnswerView answer={answer} onCancel={cancel} />
          </ScrollRegion>
        </TabPanel>
        <TabPanel value="log" className="min-h-0 flex-1">
          <ProtocolLog session={session} entries={entries} />
        </TabPanel>
        <TabPanel value="about" className="min-h-0 flex-1">
          <ScrollRegion label="What the server says of itself" className="h-full px-5 py-4">
            <AboutServer server={session.server} />
          </ScrollRegion>
        </TabPanel>
      </Tabs>
    </div>
  );
}
