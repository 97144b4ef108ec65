import { Dialog } from '#renderer/components/dialog.tsx';
import { useApp } from '#renderer/state/app-context.tsx';
import { useConnectSheet, type ConnectWish } from '../hooks/connect-context.tsx';
import { ConnectPanel } from './connect-panel.tsx';

/** The window over any screen in which an account is connected. */
export function ConnectSheet() {
  const { wish, close } = useConnectSheet();
  if (!wish) return null;
  return <OpenSheet wish={wish} onClose={close} />;
}

function OpenSheet({ wish, onClose }: { wish: ConnectWish; onClose: () => void }) {
  const name = useApp(
    ({ library }) => library?.packages.find((entry) => entry.name === wish.integrationId)?.displayName,
  );
  const label = useApp(
    ({ connections }) => connections?.connections.find(({ id }) => id === wish.connectionId)?.label,
  );
  const service = name ?? wish.integrationId;
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={label === undefined ? `Connect ${service}` : `${service}: ${label}`}
      description="No agent, model or sandbox ever sees what you sign in with."
      width="max-w-150"
    >
      <div className="overflow-auto px-5 pb-5">
        <ConnectPanel wish={wish} onDone={onClose} />
      </div>
    </Dialog>
  );
}
