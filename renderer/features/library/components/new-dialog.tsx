import { useState } from 'react';
import { Dialog } from '#renderer/components/dialog.tsx';
import { Segmented } from '#renderer/components/segmented.tsx';
import { KindIcon, kindWords, KINDS } from '#renderer/features/packages/index.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';
import { CatalogueList } from './catalogue-list.tsx';
import { NewForm } from './new-form.tsx';

/** The beginning of a package: from a working example, or for an integration from the catalogue. */
export function NewDialog({ kind: asked, onClose }: { kind: PackageType | undefined; onClose: () => void }) {
  const [kind, setKind] = useState<PackageType>(asked ?? 'agent');
  const [way, setWay] = useState<'catalogue' | 'example'>('catalogue');
  const isCatalogue = kind === 'integration' && way === 'catalogue';
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title="New"
      width="max-w-180"
    >
      <div className="flex flex-wrap items-center gap-3 px-5 pb-4">
        <Segmented
          label="Kind"
          value={kind}
          onChange={setKind}
          options={KINDS.map((words) => ({
            value: words.kind,
            name: words.one,
            label: (
              <>
                <KindIcon kind={words.kind} size={14} />
                {words.title.replace(/s$/, '')}
              </>
            ),
          }))}
        />
        {kind === 'integration' && (
          <Segmented
            label="Beginning"
            value={way}
            onChange={setWay}
            options={[
              { value: 'catalogue', label: 'From the catalogue' },
              { value: 'example', label: 'My own' },
            ]}
          />
        )}
      </div>
      {isCatalogue ? (
        <CatalogueList onDone={onClose} />
      ) : (
        <NewForm key={kind} kind={kind} words={kindWords(kind)} onClose={onClose} />
      )}
    </Dialog>
  );
}
