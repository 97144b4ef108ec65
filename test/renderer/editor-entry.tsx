import '#renderer/styles.css';
import { StrictMode, useState, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { config } from 'zod';
import { Button } from '#renderer/components/button.tsx';
import { CodeView, DiffView } from '#renderer/components/code/index.ts';
import { PageHeader } from '#renderer/components/page-header.tsx';
import { TooltipProvider } from '#renderer/components/tooltip.tsx';
import { EditedText, ManifestDocument, ManifestEditor } from '#renderer/features/editor/index.ts';
import { editorScenarioOf, type EditorScenario } from './fixtures/editor.ts';

/** The editor over a library in memory. `?scenario=` chooses the package, `?theme=` the colours. */
config({ jitless: true });
const parameters = new URLSearchParams(location.search);
const theme = parameters.get('theme');
if (theme !== null) document.documentElement.dataset['theme'] = theme;

/** What is edited, with its texts. */
function openPackage(scenario: EditorScenario) {
  const { content } = scenario;
  return {
    scenario,
    manifest: new ManifestDocument(scenario.manifestText),
    content: content && { path: content.path, text: new EditedText(content.text) },
  };
}

let opened = openPackage(editorScenarioOf(parameters.get('scenario') ?? 'agent'));
const listeners = new Set<() => void>();

Object.assign(window, {
  /** For tests to read what the page has made of the texts. */
  editedManifest: () => opened.manifest.text.source,
  editedContent: () => opened.content?.text.source,
  /** For tests to edit another package. */
  editPackage: (given: Pick<EditorScenario, 'type' | 'manifestText' | 'content' | 'identity'>) => {
    opened = openPackage({ ...opened.scenario, ...given });
    for (const listener of listeners) listener();
  },
});

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function Page() {
  const [isComparing, setComparing] = useState(false);
  const { scenario, manifest, content } = useSyncExternalStore(subscribe, () => opened);
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={scenario.title}
        subtitle={<span className="font-mono text-sm">{scenario.identity}</span>}
      >
        <Button onClick={() => setComparing(!isComparing)}>{isComparing ? 'Edit' : 'Compare'}</Button>
      </PageHeader>
      <main className="flex min-h-0 flex-1 flex-col">
        {isComparing ? (
          <DiffView
            original={scenario.manifestText}
            modified={manifest.text.source}
            label="Manifest"
            language="json"
            layout={parameters.get('layout') === 'inline' ? 'inline' : 'side-by-side'}
          />
        ) : parameters.get('show') === 'view' ? (
          <CodeView
            text={scenario.manifestText}
            label="Manifest"
            language="json"
            modelUri="slipway://view/a.json"
          />
        ) : (
          <ManifestEditor
            identity={scenario.identity}
            type={scenario.type}
            document={manifest}
            content={content}
            paths={scenario.paths ?? []}
            library={scenario.library}
            isNameFixed={parameters.has('fixed')}
            actions={{
              tryIt: (values) => {
                document.title = `try ${JSON.stringify(values)}`;
              },
              connect: (integration, key, scopes) => {
                document.title = `connect ${integration} ${key} ${scopes.join(' ')}`;
              },
            }}
          />
        )}
      </main>
    </div>
  );
}

const root = document.querySelector('#root');
if (!root) throw new Error('editor.html has no element for the app');
createRoot(root).render(
  <StrictMode>
    <TooltipProvider>
      <Page />
    </TooltipProvider>
  </StrictMode>,
);
