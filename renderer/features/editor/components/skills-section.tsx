import { DependencyList } from './dependency-list.tsx';
import { FormSection } from './form-fields.tsx';

/** Instructions an agent can open, and programs that serve it tools. */
export function SkillsSection() {
  return (
    <div className="space-y-8">
      <FormSection
        title="Skills"
        intro="Instructions with files and scripts. The model sees their names and descriptions, and opens one when it needs it."
      >
        <DependencyList map="skills" type="skill" addLabel="Add a skill" empty="The agent has no skills." />
      </FormSection>
      <FormSection
        title="MCP servers"
        intro="Programs that run in containers of their own. Most agents reach them through an integration, which brings its sign-in."
      >
        <DependencyList
          map="mcp_servers"
          type="mcp-server"
          addLabel="Add an MCP server"
          empty="The agent depends on no server by itself."
        />
      </FormSection>
    </div>
  );
}
