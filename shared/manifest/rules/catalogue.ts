import type { Finding } from '../finding.ts';

/** How much a finding weighs, and what it forbids. */
export interface Weight {
  readonly severity: Finding['severity'];
  readonly blocks: Finding['blocks'];
}

export interface Rule extends Weight {
  /** Weight in a manifest that was stored or bundled before the rule: it keeps working. */
  readonly stored?: Weight;
}

const error = { severity: 'error', blocks: 'use' } as const;
const publishError = { severity: 'error', blocks: 'publish' } as const;
const warning = { severity: 'warning', blocks: 'nothing' } as const;
const information = { severity: 'information', blocks: 'nothing' } as const;

/** Every code a finding may have, with its weight. */
export const RULES = {
  manifest_missing: error,
  file_unreadable: error,
  file_name_unportable: warning,
  json_syntax: error,
  json_duplicate_key: error,
  json_unsafe_key: error,
  json_limit: error,
  manifest_not_object: error,
  type_unknown: error,
  dialect_legacy: error,
  schema_version_malformed: error,
  schema_version_unsupported: error,
  schema_version_newer: information,

  field_missing: error,
  field_type: error,
  field_value: error,
  field_unknown: error,
  field_spelling: warning,
  key_invalid: error,

  version_unclean: information,
  author_missing: publishError,
  dependency_self: error,
  dependency_kind_retired: { ...error, stored: warning },

  wrapper_bare: error,
  wrapper_unknown_field: warning,
  schema_invalid: error,
  schema_file_type: error,
  file_constraint_orphan: warning,
  timeout_above_ceiling: warning,
  config_ignored: information,
  runtime_tool_unknown: { ...error, stored: warning },
  runtime_tool_repeated: information,
  output_tool_missing: error,
  configuration_orphan: error,
  configuration_unknown_field: warning,
  examples_invalid: warning,
  prompt_missing: error,
  prompt_blank: error,
  unknown_tool: publishError,
  scope_not_in_catalog: publishError,
  wildcard_not_authorized: publishError,
  no_tools_selected: publishError,

  skill_file_missing: error,
  skill_name_missing: error,
  skill_frontmatter_invalid: warning,
  skill_advice: warning,

  manifest_version_old: error,
  user_config_title_missing: publishError,
  user_config_unknown: warning,
  entry_point_missing: error,
  runtime_mismatch: error,
  workspace_mount_unsafe: error,

  upload_protocol_repeated: error,
  oauth2_endpoints_missing: error,
  credentials_missing: error,
  reference_outside: error,
  delivery_empty: error,
  delivery_mixed: error,
  delivery_in_unsupported: error,
  delivery_header_invalid: error,
  delivery_path_unsafe: error,
  template_unknown: error,
  credential_unknown: warning,
  connect_not_custom: error,
  connect_ambiguous: error,
  login_outputs_missing: error,
  login_output_unknown: error,
  login_placeholder_unknown: warning,
  login_criterion_unsupported: warning,
  uris_missing: error,
  uris_unbounded: warning,
  mtls_over_http: error,
  scope_unknown: error,
  scope_implies_unknown: error,
  auth_unknown: error,
  api_tool_repeated: error,
  default_tools_wildcard: error,
  default_tool_unknown: error,
  undeclared_tools_unusable: error,
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleCode = keyof typeof RULES;
