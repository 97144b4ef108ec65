import '#renderer/styles.css';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { config } from 'zod';
import { Button } from '#renderer/components/button.tsx';
import { CodeView, DiffView } from '#renderer/components/code/index.ts';
import { PageHeader } from '#renderer/components/page-header.tsx';
import { TooltipProvider } from '#renderer/components/tooltip.tsx';
import { EditedText, ManifestDocument, ManifestEditor } from '#renderer/features/editor/index.ts';
import { editorScenarioOf } from './fixtures/editor.ts';

/** The editor over a library in memory. `?scenario=` chooses the package, `?theme=` the colours. */
config({ jitless: true });
const parameters = new URLSearchParams(location.search);
const theme = parameters.get('theme');
if (theme !== null) document.documentElement.dataset['theme'] = theme;
const scenario = editorScenarioOf(parameters.get('scenario') ?? 'agent');
const manifest = new ManifestDocument(scenario.manifestText);
const content = scenario.content && {
  path: scenario.content.path,
  text: new EditedText(scenario.content.text),
};
const paths = content === undefined ? [] : [content.path];

/** For tests to read what the page has made of the text. */
Object.assign(window, { editedManifest: () => manifest.text.source });

function Page() {
  const [isComparing, setComparing] = useState(false);
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
            paths={paths}
            library={scenario.library}
            isNameFixed={parameters.has('fixed')}
            actions={{
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
