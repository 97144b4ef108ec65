import { describe, expect, it } from 'vitest';
import type { McpServerManifest, ServerSetting } from '../manifest/model/mcp-server.ts';
import { ProblemError } from '../problem.ts';
import { planLaunch, type LaunchInput } from './launch.ts';

const SERVER: McpServerManifest = {
  type: 'mcp-server',
  dialect: '0.x',
  name: '@acme/server',
  version: '1.0.0',
  displayName: 'Acme',
  description: '',
  keywords: [],
  dependencies: { skills: {}, mcpServers: {}, integrations: {} },
  runtime: 'node',
  entryPoint: 'server/index.js',
  command: 'node',
  arguments: ['${__dirname}/server/index.js'],
  environment: {},
  settings: {},
  tools: [],
  workspace: undefined,
};

function setting(change: Partial<ServerSetting> = {}): ServerSetting {
  return {
    type: 'string',
    title: 'Key',
    description: '',
    required: false,
    multiple: false,
    sensitive: false,
    ...change,
  };
}

function plan(change: Partial<Omit<LaunchInput, 'server'>> & { server?: Partial<McpServerManifest> } = {}) {
  return planLaunch({
    delivery: { env: {} },
    fields: {},
    publicFields: [],
    settings: {},
    workspace: undefined,
    ...change,
    server: { ...SERVER, ...change.server },
  });
}

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    return error instanceof ProblemError ? error.problem.code : String(error);
  }
  return undefined;
}

describe('the program a server becomes', () => {
  it.each([
    ['node', '/usr/local/bin/node', ['/bundle/server/index.js']],
    ['python', '/usr/bin/python3', ['-u', '/bundle/server/index.js']],
    ['binary', '/bundle/server/index.js', ['/bundle/server/index.js']],
  ] as const)('of %s follows from its kind, whatever the bundle says', (runtime, command, given) => {
    const { start } = plan({ server: { runtime, command: '/bin/sh' } });
    expect(start.command).toBe(command);
    expect(start.arguments).toEqual(given);
  });

  it('is given its entry point where the arguments do not name it', () => {
    const { start } = plan({ server: { arguments: ['--verbose'] } });
    expect(start.arguments).toEqual(['/bundle/server/index.js', '--verbose']);
  });

  it.each(['bun', 'uv'] as const)('is missing for %s, and named', (runtime) => {
    expect(codeOf(() => plan({ server: { runtime } }))).toBe('server_runtime_missing');
  });

  it.each(['../outside.js', '/etc/passwd', 'a/../../b', '.', 'a\\b'])('is not %s', (entryPoint) => {
    expect(codeOf(() => plan({ server: { entryPoint } }))).toBe('server_entry_point_unsafe');
  });
});

describe('what a server is told', () => {
  const settings = { key: setting({ sensitive: true }), folders: setting({ multiple: true }) };

  it('fills settings into variables and arguments, a list as many arguments', () => {
    const { start, secrets } = plan({
      server: {
        settings,
        environment: { KEY: 'k=${user_config.key}', HOME_OF: '${HOME}' },
        arguments: ['${__dirname}/server/index.js', '${user_config.folders}'],
      },
      settings: { key: 'sesame-1', folders: ['/a', '/b'] },
    });
    expect(start.arguments).toEqual(['/bundle/server/index.js', '/a', '/b']);
    expect(start.environment).toMatchObject({ KEY: 'k=sesame-1', HOME_OF: '/home/runner' });
    expect(secrets).toEqual(['sesame-1']);
  });

  it('takes what a connection delivers for the setting of that name, or of the one it names', () => {
    const { start, secrets } = plan({
      server: { settings, environment: { KEY: '${user_config.key}' } },
      delivery: { env: { TOKEN: { value: '{$credential.token}', user_config_key: 'key' } } },
      fields: { token: 'sesame-2' },
    });
    expect(start.environment).toMatchObject({ KEY: 'sesame-2', TOKEN: 'sesame-2' });
    expect(secrets).toEqual(['sesame-2']);
  });

  it('leaves out variables that nothing fills, instead of giving their template', () => {
    const { start } = plan({
      server: { settings, environment: { KEY: '${user_config.key}' } },
      delivery: { env: { TOKEN: { value: '{$credential.absent}' } } },
    });
    expect(start.environment).not.toHaveProperty('KEY');
    expect(start.environment).not.toHaveProperty('TOKEN');
  });

  it('inherits nothing of the app', () => {
    expect(Object.keys(plan().start.environment).sort()).toEqual(['HOME', 'LANG', 'LC_ALL', 'PATH']);
  });

  it('does not fill what was filled again', () => {
    const { start } = plan({
      server: { settings, environment: { KEY: '${user_config.key}' } },
      settings: { key: '${user_config.folders}', folders: ['stolen'] },
    });
    expect(start.environment['KEY']).toBe('${user_config.folders}');
  });

  it('names what it must be told and was not', () => {
    const server = { settings: { key: setting({ required: true, title: 'API key' }) } };
    expect(codeOf(() => plan({ server }))).toBe('server_settings_missing');
    expect(codeOf(() => plan({ server, settings: { key: 'x' } }))).toBeUndefined();
  });

  it('shows no secret on a command line', () => {
    const server = { settings, arguments: ['--key=${user_config.key}'] };
    expect(codeOf(() => plan({ server, settings: { key: 'sesame-3' } }))).toBe('server_secret_in_arguments');
  });

  it('takes the workspace for a folder that nobody chose', () => {
    const server = {
      settings: { root: setting({ type: 'directory', required: true, default: '${DOCUMENTS}' }) },
      arguments: ['${user_config.root}'],
    };
    expect(plan({ server, workspace: '/data' }).start.arguments).toEqual([
      '/bundle/server/index.js',
      '/data',
    ]);
    expect(codeOf(() => plan({ server }))).toBe('server_settings_missing');
  });

  it('tells what is public from what is secret', () => {
    const delivery = { env: { URL: { value: '{$credential.url}' }, KEY: { value: '{$credential.key}' } } };
    const fields = { url: 'https://example.com', key: 'sesame-4' };
    expect(plan({ delivery, fields, publicFields: ['url'] }).secrets).toEqual(['sesame-4']);
  });

  it('refuses a credential that is for requests only', () => {
    const http = { in: 'header', name: 'Authorization', value: '{$credential.token}' } as const;
    expect(codeOf(() => plan({ delivery: { http } }))).toBe('delivery_unsupported');
  });
});

describe('files a server is given', () => {
  const fileAt = (path: string, mode?: string) =>
    plan({
      delivery: { files: { [path]: { value: '{$credential.key}', ...(mode !== undefined && { mode }) } } },
      fields: { key: 'sesame' },
    });

  it('go into folders in memory, readable by their owner alone', () => {
    const { start, memoryFolders } = fileAt('/etc/acme/deep/key.pem');
    expect(start.files).toEqual([{ path: '/etc/acme/deep/key.pem', mode: 0o400, text: 'sesame' }]);
    expect(memoryFolders).toEqual(['/etc/acme']);
    expect(fileAt('/home/runner/.aws/credentials', '0600').memoryFolders).toEqual([]);
    expect(fileAt('/home/runner/.aws/credentials', '0600').start.files[0]?.mode).toBe(0o600);
    expect(fileAt('/credentials/key.json').memoryFolders).toEqual(['/credentials']);
  });

  it.each([
    'relative/key',
    '/',
    '/key',
    '/a/../key',
    '/a//key',
    '/a/',
    '/dev/null',
    '/proc/self/environ',
    '/sys/x',
    '/etc/passwd',
    '/etc/passwd-/x',
    '/etc/sudoers.d/x',
    '/etc/key',
    '/etc/ssl/certs/key.pem',
    '/usr/local/bin/node',
    '/lib/x/y',
    '/home/agent/key',
    '/bundle/server/index.js',
    '/workspace/key',
    '/opt/slipway/programs/runner.js',
    '/home/runner/.docker/config.json',
    '/x/.dockerenv',
    '/a/b\nc',
    '/tmp',
  ])('are refused at %j', (path) => {
    expect(codeOf(() => fileAt(path))).toBe('delivery_path_refused');
  });
});
