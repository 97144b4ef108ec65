import { pointerOf } from '../json-pointer.ts';
import { isRecord, membersOf } from '../plain.ts';
import { MCP_RUNTIME_KEY, mcpRuntimeSchema, WORKSPACE_KEY, workspaceSchema } from '../schemas/mcp-server.ts';
import { checkStructure, shown } from '../structure.ts';
import type { RuleContext } from './common.ts';

/** What may run each kind of server. */
const RUNTIMES: Readonly<Record<string, readonly string[]>> = {
  node: ['node', 'bun'],
  python: ['python'],
  uv: ['uv'],
  binary: ['binary'],
};

/** Folders of the container that a workspace may not cover. */
const SYSTEM_FOLDERS = ['/proc', '/sys', '/dev', '/etc'];

/** Rules of an MCP server's manifest: reference section 19, M4, M5 and M7 to M9. */
export function checkMcpServer(context: RuleContext): void {
  const { manifest, findings, files } = context;
  const server = isRecord(manifest['server']) ? manifest['server'] : {};
  const { type, entry_point: entryPoint } = server;

  if (type === 'uv' && manifest['manifest_version'] === '0.3') {
    const message = 'A server of type "uv" needs "manifest_version" "0.4": 0.3 does not know it.';
    findings.add('manifest_version_old', ['manifest_version'], message, {
      fix: { title: 'Write "0.4"', edits: [{ pointer: '/manifest_version', value: '0.4' }] },
    });
  }
  if (typeof entryPoint === 'string' && files !== undefined && !files.has(entryPoint.replace(/^\.\//, ''))) {
    const message = `The package has no file ${shown(entryPoint)}, which is to start the server.`;
    findings.add('entry_point_missing', ['server', 'entry_point'], message);
  }
  checkUserConfig(context, server);

  const meta = isRecord(manifest['_meta']) ? manifest['_meta'] : {};
  const runtimePath = ['_meta', MCP_RUNTIME_KEY];
  if (Object.hasOwn(meta, MCP_RUNTIME_KEY)) checkStructure(mcpRuntimeSchema, manifest, findings, runtimePath);
  const runtime = mcpRuntimeSchema.safeParse(meta[MCP_RUNTIME_KEY]).data?.runtime;
  const runtimes = typeof type === 'string' ? RUNTIMES[type] : undefined;
  if (runtime !== undefined && runtimes !== undefined && !runtimes.includes(runtime)) {
    const message = `A server of type ${shown(type)} cannot run on "${runtime}", only on ${runtimes.join(' or ')}.`;
    findings.add('runtime_mismatch', [...runtimePath, 'runtime'], message);
  }
  const workspacePath = ['_meta', WORKSPACE_KEY];
  if (Object.hasOwn(meta, WORKSPACE_KEY)) checkStructure(workspaceSchema, manifest, findings, workspacePath);
  const mount = workspaceSchema.safeParse(meta[WORKSPACE_KEY]).data?.mount;
  if (mount !== undefined && !isSafeMount(mount)) {
    const message = `The workspace cannot be at ${shown(mount)}: give an absolute path outside ${SYSTEM_FOLDERS.join(', ')}.`;
    findings.add('workspace_mount_unsafe', [...workspacePath, 'mount'], message);
  }
}

function isSafeMount(mount: string): boolean {
  if (!mount.startsWith('/') || /\p{Cc}/u.test(mount)) return false;
  const steps = mount.split('/').filter((step) => step !== '' && step !== '.');
  if (steps.length === 0 || steps.includes('..')) return false;
  return !SYSTEM_FOLDERS.includes(`/${steps[0]}`);
}

function checkUserConfig({ manifest, findings }: RuleContext, server: Record<string, unknown>): void {
  const settings = isRecord(manifest['user_config']) ? manifest['user_config'] : {};
  for (const [key, setting] of membersOf(settings)) {
    if (!isRecord(setting) || setting['title'] !== undefined) continue;
    const path = ['user_config', key, 'title'];
    const title = key.charAt(0).toUpperCase() + key.slice(1).replaceAll(/[_-]+/g, ' ');
    findings.add('user_config_title_missing', path, `The setting "${key}" has no title for people to see.`, {
      fix: { title: `Write "${title}"`, edits: [{ pointer: pointerOf(path), value: title }] },
    });
  }
  const configuration = isRecord(server['mcp_config']) ? server['mcp_config'] : {};
  for (const [name, value] of membersOf(configuration['env'])) {
    for (const [, key = ''] of typeof value === 'string'
      ? value.matchAll(/\$\{user_config\.([^}]*)\}/g)
      : []) {
      if (Object.hasOwn(settings, key)) continue;
      const message = `There is no setting "${key}" in "user_config", so this is never replaced.`;
      findings.add('user_config_unknown', ['server', 'mcp_config', 'env', name], message);
    }
  }
}
