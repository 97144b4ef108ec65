import { Dialog } from '#renderer/components/dialog.tsx';
import { focusOnMount } from '#renderer/components/focus-on-mount.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { useConnectSheet, type ConnectWish } from '../hooks/connect-context.tsx';
import { ConnectPanel } from './lazy-connect-panel.tsx';

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
      {/* What stands in it comes later, and the focus is to begin there and not at the cross. */}
      <div ref={focusOnMount} tabIndex={-1} className="overflow-auto px-5 pb-5 focus:outline-none">
        <ConnectPanel wish={wish} onDone={onClose} />
      </div>
    </Dialog>
  );
}
