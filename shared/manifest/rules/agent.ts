import { MAX_TIMEOUT_SECONDS } from '../../runs/run.ts';
import type { FindingList } from '../finding-list.ts';
import { fileFieldsOf } from '../input-fields.ts';
import { pointerOf, readablePath, stepsOf, type JsonPath } from '../json-pointer.ts';
import { isRecord, itemsOf, membersOf } from '../plain.ts';
import { currentRuntimeTool, replacementOf } from '../runtime-tools.ts';
import type { SchemaChecker } from '../schema-checker.ts';
import { EXAMPLES_KEY, examplesSchema, RESOURCES_KEY, resourcesSchema } from '../schemas/agent.ts';
import { checkStructure, shown } from '../structure.ts';
import type { RuleContext } from './common.ts';

export const PROMPT_FILE = 'prompt.md';

const WRAPPER_FIELDS = ['schema', 'file_constraints', 'ui_hints', 'property_order', '_meta'];
const OLD_WRAPPER_FIELDS: Readonly<Record<string, string>> = {
  fileConstraints: 'file_constraints',
  uiHints: 'ui_hints',
  propertyOrder: 'property_order',
};
const CONFIGURATION_FIELDS = ['tools', 'scopes', 'auth_key'];

/** Rules of an agent's manifest: reference section 19, A3 to A11. */
export function checkAgent(context: RuleContext): void {
  checkPrompt(context);
  const { manifest, dialect, findings, schemaChecker } = context;
  for (const place of ['input', 'output', 'config']) {
    checkWrapper([place], manifest[place], findings, schemaChecker);
  }
  if ('config' in manifest) {
    const message = '"config" is kept but nothing reads it. Ask for these values in "input", with defaults.';
    findings.add('config_ignored', ['config'], message, { at: 'key' });
  }
  const { timeout } = manifest;
  if (typeof timeout === 'number' && timeout > MAX_TIMEOUT_SECONDS) {
    const message = `A run ends after ${MAX_TIMEOUT_SECONDS} seconds at the latest; ${timeout} is held to that.`;
    findings.add('timeout_above_ceiling', ['timeout'], message, {
      fix: {
        title: `Set it to ${MAX_TIMEOUT_SECONDS}`,
        edits: [{ pointer: '/timeout', value: MAX_TIMEOUT_SECONDS }],
      },
    });
  }
  checkRuntimeTools(manifest, findings);
  if (dialect === '0.x') checkConfigurations(manifest, findings);

  const meta = manifest['_meta'];
  if (!isRecord(meta)) return;
  if (Object.hasOwn(meta, RESOURCES_KEY)) {
    checkStructure(resourcesSchema, manifest, findings, ['_meta', RESOURCES_KEY]);
  }
  checkExamples(context, meta[EXAMPLES_KEY]);
}

function checkPrompt({ files, companion }: RuleContext): void {
  if (files === undefined) return;
  const prompt = files.text(PROMPT_FILE);
  if (prompt === undefined) {
    const message = `The agent has no ${PROMPT_FILE}. Write there what it is to do.`;
    companion(PROMPT_FILE).add('prompt_missing', [], message);
  } else if (prompt.trim() === '') {
    const message = `${PROMPT_FILE} is empty. Write there what the agent is to do.`;
    companion(PROMPT_FILE).add('prompt_blank', [], message);
  }
}

function checkWrapper(
  path: JsonPath,
  wrapper: unknown,
  findings: FindingList,
  schemaChecker: SchemaChecker | undefined,
): void {
  if (!isRecord(wrapper)) return;
  const name = readablePath(path);
  if (!Object.hasOwn(wrapper, 'schema')) {
    if (!('type' in wrapper || 'properties' in wrapper)) return;
    findings.add('wrapper_bare', path, `"${name}" is a JSON Schema itself. Put it under "${name}.schema".`, {
      fix: {
        title: 'Put it under "schema"',
        edits: [{ pointer: pointerOf(path), value: { schema: wrapper } }],
      },
    });
    return;
  }
  for (const field of Object.keys(wrapper)) {
    if (WRAPPER_FIELDS.includes(field)) continue;
    const current = OLD_WRAPPER_FIELDS[field];
    const pointer = pointerOf([...path, field]);
    const renames = current !== undefined && !Object.hasOwn(wrapper, current);
    const message =
      current === undefined
        ? `"${field}" is not known beside a schema, and other readers drop or refuse it. Put it in "_meta" or remove it.`
        : `"${field}" is not read; this field is now called "${current}".`;
    findings.add('wrapper_unknown_field', [...path, field], message, {
      at: 'key',
      fix: {
        title: renames ? `Rename it to "${current}"` : `Remove "${field}"`,
        edits: [
          ...(renames ? [{ pointer: pointerOf([...path, current]), value: wrapper[field] }] : []),
          { pointer, remove: true },
        ],
      },
    });
  }
  checkSchema([...path, 'schema'], wrapper['schema'], findings, schemaChecker);

  const fileFields = new Set(fileFieldsOf(wrapper['schema']).map((field) => field.name));
  for (const [field] of membersOf(wrapper['file_constraints'])) {
    if (fileFields.has(field)) continue;
    const message = `"${field}" is no file field of the schema, so these limits do nothing. A file field is a text with "format": "uri" and a "contentMediaType".`;
    findings.add('file_constraint_orphan', [...path, 'file_constraints', field], message, { at: 'key' });
  }
}

function checkSchema(
  path: JsonPath,
  schema: unknown,
  findings: FindingList,
  schemaChecker: SchemaChecker | undefined,
): void {
  if (!isRecord(schema)) return;
  for (const [name, property] of membersOf(schema['properties'])) {
    checkFileType([...path, 'properties', name], property, findings);
    if (isRecord(property))
      checkFileType([...path, 'properties', name, 'items'], property['items'], findings);
  }
  for (const fault of schemaChecker?.faultsOf(schema) ?? []) {
    const place = [...path, ...stepsOf(fault.pointer)];
    if (findings.has('schema_file_type', place)) continue;
    findings.add('schema_invalid', place, `This is not valid JSON Schema 2020-12. ${fault.message}`);
  }
}

/** `"type": "file"` was a draft of file fields; JSON Schema has no such type. */
function checkFileType(path: JsonPath, property: unknown, findings: FindingList): void {
  if (!isRecord(property) || property['type'] !== 'file') return;
  const mediaType = property['contentMediaType'] ?? 'application/octet-stream';
  const edits = [
    { pointer: pointerOf([...path, 'type']), value: 'string' },
    { pointer: pointerOf([...path, 'format']), value: 'uri' },
    { pointer: pointerOf([...path, 'contentMediaType']), value: mediaType },
  ];
  const message =
    'There is no type "file". A file is a text with "format": "uri" and its type as "contentMediaType".';
  findings.add('schema_file_type', [...path, 'type'], message, {
    fix: { title: 'Make it a file field', edits },
  });
}

function checkRuntimeTools(manifest: Readonly<Record<string, unknown>>, findings: FindingList): void {
  const chosen = itemsOf(manifest['runtime_tools']);
  const seen = new Set<string>();
  chosen.forEach((id, index) => {
    if (typeof id !== 'string') return;
    const path = ['runtime_tools', index];
    const removal = { title: `Remove "${id}"`, edits: [{ pointer: pointerOf(path), remove: true }] };
    const current = currentRuntimeTool(id);
    if (current === undefined) {
      const { id: replacement, advice } = replacementOf(id);
      const message =
        findings.direction === 'author'
          ? `There is no runtime tool ${shown(id)}. ${advice}`
          : `The runtime tool ${shown(id)} no longer exists and is left out of runs. ${advice}`;
      const replaces = replacement !== undefined && !chosen.includes(replacement);
      const fix = replaces
        ? { title: `Use "${replacement}"`, edits: [{ pointer: pointerOf(path), value: replacement }] }
        : removal;
      findings.add('runtime_tool_unknown', path, message, { fix });
    } else if (seen.has(current)) {
      findings.add('runtime_tool_repeated', path, `"${id}" is already chosen above.`, { fix: removal });
    }
    seen.add(current ?? id);
  });

  const outputFields = isRecord(manifest['output']) ? manifest['output']['schema'] : undefined;
  const asksForOutput = isRecord(outputFields) && membersOf(outputFields['properties']).length > 0;
  if (!asksForOutput || chosen.includes('output')) return;
  const edit = Array.isArray(manifest['runtime_tools'])
    ? { pointer: '/runtime_tools/-', value: 'output' }
    : { pointer: '/runtime_tools', value: ['output'] };
  const message =
    'The agent has an output schema but not the tool to answer with. Add "output" to "runtime_tools".';
  findings.add('output_tool_missing', ['runtime_tools'], message, {
    fix: { title: 'Add the runtime tool "output"', edits: [edit] },
  });
}

function checkConfigurations(manifest: Readonly<Record<string, unknown>>, findings: FindingList): void {
  const dependencies = isRecord(manifest['dependencies']) ? manifest['dependencies'] : {};
  const integrations = isRecord(dependencies['integrations']) ? dependencies['integrations'] : {};
  for (const [id, configuration] of membersOf(manifest['integrations_configuration'])) {
    const path = ['integrations_configuration', id];
    if (!Object.hasOwn(integrations, id)) {
      const message = `"${id}" is configured but not depended on. Add it to "dependencies.integrations", or remove this.`;
      findings.add('configuration_orphan', path, message, {
        at: 'key',
        fix: {
          title: `Depend on "${id}"`,
          edits: [{ pointer: pointerOf(['dependencies', 'integrations', id]), value: '*' }],
        },
      });
    }
    for (const [field] of membersOf(configuration)) {
      if (CONFIGURATION_FIELDS.includes(field)) continue;
      const message = `"${field}" does nothing here; only ${CONFIGURATION_FIELDS.join(', ')} are read.`;
      findings.add('configuration_unknown_field', [...path, field], message, {
        at: 'key',
        fix: { title: `Remove "${field}"`, edits: [{ pointer: pointerOf([...path, field]), remove: true }] },
      });
    }
  }
}

function checkExamples({ manifest, findings, files }: RuleContext, examples: unknown): void {
  if (examples === undefined) return;
  const path = ['_meta', EXAMPLES_KEY];
  const result = examplesSchema.safeParse(examples);
  if (!result.success) {
    const [issue] = result.error.issues;
    const inside = issue?.path.map((step) => (typeof step === 'number' ? step : String(step))) ?? [];
    const message = `This example is not used: it must be ${issue?.message ?? 'another value'}.`;
    findings.add('examples_invalid', [...path, ...inside], message);
    return;
  }
  const input = isRecord(manifest['input']) ? manifest['input']['schema'] : undefined;
  const fileFields = fileFieldsOf(input).map((field) => field.name);
  for (const [field, examplePaths] of Object.entries(result.data.files ?? {})) {
    if (!fileFields.includes(field)) {
      const message = `"${field}" is no file field of the input schema, so this example is not used.`;
      findings.add('examples_invalid', [...path, 'files', field], message, { at: 'key' });
    }
    examplePaths.forEach((examplePath, index) => {
      if (files === undefined || files.has(examplePath)) return;
      const message = `The package has no file "${examplePath}", so this example is not used.`;
      findings.add('examples_invalid', [...path, 'files', field, index], message);
    });
  }
}
