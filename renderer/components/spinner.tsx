import { LoaderCircle } from 'lucide-react';

/** Something is under way. Decorative: say in words what it is. */
export function Spinner({ size = 14 }: { size?: number }) {
  return <LoaderCircle size={size} aria-hidden="true" className="shrink-0 animate-spin text-accent" />;
}
