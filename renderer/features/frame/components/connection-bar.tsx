import { Unplug } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Spinner } from '#renderer/components/spinner.tsx';
import { useApp } from '#renderer/state/app-context.tsx';

/** A blink of the carrier is nothing to talk about. Milliseconds. */
const PATIENCE = 700;

/** Says when the page and the app have lost each other. */
export function ConnectionBar() {
  const connection = useApp((state) => state.connection);
  return connection === 'open' ? null : <LostConnection isTrying={connection === 'connecting'} />;
}

function LostConnection({ isTrying }: { isTrying: boolean }) {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), PATIENCE);
    return () => clearTimeout(timer);
  }, []);
  if (!isLate) return null;
  return (
    <div
      role="alert"
      className="flex items-center gap-2.5 border-b border-line bg-caution-soft px-4 py-1.5 text-caution"
    >
      {isTrying ? <Spinner /> : <Unplug size={15} aria-hidden="true" />}
      <p className="text-ink">
        {isTrying
          ? 'Connection to Slipway lost. Connecting again; your runs go on meanwhile.'
          : 'Slipway has ended, or was started anew. Start it again and open the address it shows.'}
      </p>
    </div>
  );
}
