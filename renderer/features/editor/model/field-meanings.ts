/**
 * What the fields of manifests mean, by their path; `*` stands for any name of a map, `[]` for the items of
 * a list. Shown where an author points at a field.
 */
export const FIELD_MEANINGS: Readonly<Record<string, string>> = {
  $schema: 'Address of a JSON Schema that other editors use. Nothing here reads it.',
  name: 'The identity of the package. It cannot be changed once the package exists; make a copy instead.',
  version: 'What the next published version is called. Versions only go up.',
  schema_version: 'The version of the AFPS format this manifest is written in.',
  type: 'What kind of package this is.',
  display_name: 'The name people see in lists and titles.',
  author: 'Who made it. Publishing needs one.',
  description: 'One sentence in the library: what it does and for whom.',
  long_description: 'Everything else a person should know before they use it. Markdown.',
  license: 'The licence others may use it under.',
  keywords: 'Words it is found by.',
  icon: 'The picture in lists.',
  dependencies: 'Packages this one needs, each with the range of versions that will do.',
  'dependencies.skills': 'Skills whose instructions the agent can open when it needs them.',
  'dependencies.mcp_servers': 'MCP servers that run in containers of their own.',
  'dependencies.integrations':
    'Services the agent calls. Which of their tools it gets stands in "integrations_configuration".',
  integrations_configuration: 'What the agent takes of each integration it depends on.',
  'integrations_configuration.*.tools':
    'The tools the agent gets. Absent: the integration’s default. An empty list: none. "*": every tool of its server, where the integration allows it.',
  'integrations_configuration.*.scopes': 'Scopes to ask for beside those the chosen tools need.',
  'integrations_configuration.*.auth_key': 'The way to sign in, where the integration has several.',
  runtime_tools:
    'Tools the platform serves to the agent. None is given unless it is named here, not even "output".',
  input: 'What a run asks for: a JSON Schema, and what a form needs beside it.',
  'input.schema':
    'JSON Schema of the values. A file is a text with "format": "uri" and a "contentMediaType".',
  'input.file_constraints': 'Which files a file field takes, and how large they may be.',
  'input.ui_hints': 'What stands in an empty field of the form.',
  'input.property_order': 'The order of the form. Fields that are not named come last.',
  output: 'The result every run must give, checked against a JSON Schema. Needs the runtime tool "output".',
  'output.schema': 'JSON Schema of the result.',
  config: 'Kept for older readers. Nothing here reads it.',
  timeout: 'The longest a run may take. 300 seconds when absent; a run ends after 1800 in any case.',
  _meta: 'Annotations of tools and hosts, each under a name of its own. Unknown ones are kept.',
  source:
    'Where the tools of the integration come from: a hosted MCP server, one run here, or only its HTTP API.',
  auths: 'The ways to sign in, each under a key of its own.',
  'auths.*.type': 'How it signs in.',
  'auths.*.authorized_uris':
    'The only addresses the credential is ever sent to. "*" stays within a path segment, "**" does not.',
  'auths.*.allow_all_uris':
    'Lets the credential go to any address. Only for services whose host each user chooses.',
  'auths.*.default_scopes': 'Scopes that every sign-in asks for.',
  'auths.*.scope_catalog': 'The scopes there are, with names a person understands.',
  'auths.*.delivery': 'How the credential reaches the service or its server.',
  default_tools: 'What an agent gets that chooses no tools.',
  hidden_tools: 'Tools of the server that no agent may have.',
  allow_undeclared_tools: 'Whether an agent may take every tool of the server with "*".',
  tools_policy: 'The tools there are, each with the scopes it needs.',
  setup_guide: 'What a person does at the service before the first sign-in.',
  server: 'The program that serves the tools, and how it is started.',
  'server.entry_point': 'The file in the package that is started.',
  tools: 'The tools the server says it has.',
  user_config: 'What a person fills in before the server can start.',
};
