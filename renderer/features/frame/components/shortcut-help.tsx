import { Dialog } from '#renderer/components/dialog.tsx';
import { Kbd } from '#renderer/components/kbd.tsx';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';

const groups: readonly { title: string; rows: readonly (readonly [string, string])[] }[] = [
  {
    title: 'Everywhere',
    rows: [
      ['mod+k', 'Go to a package, a run, a setting or an action'],
      ['mod+1', 'Agents'],
      ['mod+2', 'Runs'],
      ['mod+,', 'Settings'],
      ['mod+i', 'Import packages'],
      ['F8', 'Go to the notices'],
      ['?', 'This help'],
    ],
  },
  {
    title: 'Lists and the timeline',
    rows: [
      ['j', 'Next'],
      ['k', 'Previous'],
      ['enter', 'Open or unfold'],
      ['/', 'Search'],
      ['n', 'New package, in the library'],
    ],
  },
  {
    title: 'The editor',
    rows: [
      ['mod+e', 'Between the form and the JSON'],
      ['mod+s', 'Save now; it also saves by itself'],
      ['mod+.', 'Next problem'],
      ['mod+>', 'Previous problem'],
      ['mod+enter', 'Try the draft'],
    ],
  },
  {
    title: 'Runs',
    rows: [
      ['mod+enter', 'Run the agent, or run again'],
      ['mod+.', 'Stop the run'],
      ['Escape', 'Stop the run, after asking'],
      ['end', 'Jump to the latest entry'],
    ],
  },
];

/** All shortcuts, in one place. */
export function ShortcutHelp({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts">
      <ScrollRegion label="Shortcuts" className="space-y-5 px-5 pb-5">
        {groups.map((group) => (
          <section key={group.title} aria-label={group.title}>
            <h3 className="mb-1.5 text-sm font-semibold text-ink-faint">{group.title}</h3>
            <dl className="divide-y divide-line border-y border-line">
              {group.rows.map(([keys, meaning]) => (
                <div key={keys} className="flex items-center gap-3 py-1">
                  <dt className="order-2">
                    <Kbd keys={keys} />
                  </dt>
                  <dd className="flex-1">{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </ScrollRegion>
    </Dialog>
  );
}
