import type { ReactNode } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import type { CodeMarker, CodePlace } from '#renderer/components/code/index.ts';
import { moveFocus } from '#renderer/components/move-focus.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';
import type { EditedText } from '../model/edited-text.ts';
import type { Section, SectionKey } from '../model/sections.ts';
import { ContentSection } from './content-section.tsx';
import { FieldsSection } from './fields-section.tsx';
import { IdentitySection } from './identity-section.tsx';
import { AuthsSection } from './integration/auths-section.tsx';
import { PolicySection } from './integration/policy-section.tsx';
import { SetupSection } from './integration/setup-section.tsx';
import { SourceSection } from './integration/source-section.tsx';
import { IntegrationsSection } from './integrations-section.tsx';
import { LimitsSection } from './limits-section.tsx';
import { OtherSection } from './other-section.tsx';
import { ProgramSection } from './server/program-section.tsx';
import { ServerToolsSection } from './server/server-tools-section.tsx';
import { SettingsSection } from './server/settings-section.tsx';
import { SkillsSection } from './skills-section.tsx';
import { ToolsSection } from './tools-section.tsx';

interface Content {
  readonly path: string;
  readonly text: EditedText;
  readonly modelUri: string;
  readonly markers: readonly CodeMarker[];
  readonly place: CodePlace | undefined;
}

const CONTENT_INTROS: Readonly<Record<PackageType, string>> = {
  agent: 'Sent to the model word for word, after what the platform tells it about tools, input and files.',
  skill: 'The model reads this when it opens the skill. It begins with a name and a description.',
  integration: 'Notes on the service that the model reads before it calls it.',
  'mcp-server': '',
};

/** The form: its parts on the left, the chosen one beside them. */
export function EditorForm({
  type,
  section,
  onSection,
  sections,
  content,
}: {
  type: PackageType;
  section: SectionKey;
  onSection: (section: SectionKey) => void;
  sections: readonly (Section & { readonly errors: number })[];
  content: Content | undefined;
}) {
  return (
    <div className="flex min-h-0 flex-1">
      <nav
        aria-label="Parts of the form"
        className="w-44 shrink-0 overflow-auto border-r border-line py-3 pr-2 pl-4"
      >
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- The keys only move the focus. */}
        <ul className="space-y-0.5" onKeyDown={(event) => moveFocus(event, 'button')}>
          {sections
            .filter(({ key }) => key !== 'content' || content !== undefined)
            .map(({ key, label, errors }) => (
              <li key={key}>
                <button
                  type="button"
                  aria-current={key === section ? 'true' : undefined}
                  onClick={() => onSection(key)}
                  className="flex h-8 w-full items-center gap-2 rounded-md px-2.5 text-left text-ink-soft hover:bg-hover hover:text-ink aria-[current]:bg-selected aria-[current]:font-medium aria-[current]:text-ink"
                >
                  <span className="min-w-0 flex-1 truncate">{label}</span>
                  {errors > 0 && (
                    <Badge tone="danger">
                      {errors}
                      <span className="sr-only">{errors === 1 ? ' error' : ' errors'}</span>
                    </Badge>
                  )}
                </button>
              </li>
            ))}
        </ul>
      </nav>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col overflow-auto px-6 py-4">
        {sectionContent(section, type, content)}
      </div>
    </div>
  );
}

function sectionContent(section: SectionKey, type: PackageType, content: Content | undefined): ReactNode {
  switch (section) {
    case 'identity':
      return <IdentitySection />;
    case 'content':
      return content && <ContentSection {...content} type={type} intro={CONTENT_INTROS[type]} />;
    case 'tools':
      return <ToolsSection />;
    case 'integrations':
      return <IntegrationsSection />;
    case 'skills':
      return <SkillsSection />;
    case 'input':
    case 'output':
      return <FieldsSection key={section} wrapper={section} />;
    case 'limits':
      return <LimitsSection />;
    case 'source':
      return <SourceSection />;
    case 'auths':
      return <AuthsSection />;
    case 'policy':
      return <PolicySection />;
    case 'setup':
      return <SetupSection />;
    case 'server':
      return <ProgramSection />;
    case 'serverTools':
      return <ServerToolsSection />;
    case 'userConfig':
      return <SettingsSection />;
    case 'other':
      return <OtherSection type={type} />;
  }
}
