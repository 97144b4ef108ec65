import { expect, it } from 'vitest';
import type { RunConnection } from '#main/connections/index.ts';
import type { RunnableAgent } from '#main/library/library.ts';
import { readIntegration } from '#shared/manifest/model/integration.ts';
import { ProblemError } from '#shared/problem.ts';
import { NO_INTEGRATION_SERVICES } from '#test/support/no-integrations.ts';
import { bindIntegrations, callsServices } from './run-integrations.ts';

function integration(name: string, changes: Record<string, unknown> = {}) {
  return readIntegration(
    {
      name,
      version: '1.0.0',
      type: 'integration',
      schema_version: '0.2',
      display_name: name.slice(1),
      source: { kind: 'none' },
      auths: {
        key: {
          type: 'api_key',
          authorized_uris: ['https://api.example.com/**'],
          delivery: { http: { in: 'header', name: 'X-Api-Key', value: '{$credential.api_key}' } },
          credentials: { schema: { type: 'object', properties: { api_key: { type: 'string' } } } },
        },
      },
      default_tools: ['api_call'],
      _meta: { 'dev.appstrate/api': { auths: { key: {} } } },
      ...changes,
    },
    '0.x',
  );
}

function agentWith(
  manifests: readonly ReturnType<typeof integration>[],
  ranges: readonly string[] = manifests.map(({ name }) => name),
): RunnableAgent {
  return {
    id: '@test/agent',
    dependencies: {
      skills: {},
      mcpServers: {},
      integrations: Object.fromEntries(ranges.map((name) => [name, '^1.0.0'])),
    },
    integrationChoices: {},
    packages: manifests.map((manifest) => ({
      kind: 'integration',
      name: manifest.name,
      version: '1.0.0',
      manifest,
    })),
  } as unknown as RunnableAgent;
}

const connection = (integrationId: string, id: string, label = 'Work'): RunConnection => ({
  id,
  integrationId,
  authKey: 'key',
  label,
  account: undefined,
  canRefresh: false,
});

function servicesWith(bound: readonly RunConnection[], environment: Record<string, string> = {}) {
  const asked: { agentId: string; known: string[]; chosen: unknown }[] = [];
  return {
    asked,
    environment,
    serverSettings: NO_INTEGRATION_SERVICES.serverSettings,
    connections: {
      ...NO_INTEGRATION_SERVICES.connections,
      bind: (...[agentId, agent, chosen]: Parameters<typeof NO_INTEGRATION_SERVICES.connections.bind>) => {
        asked.push({ agentId, known: [...(agent.integrations?.keys() ?? [])], chosen });
        return Promise.resolve([...bound]);
      },
    },
  };
}

it("plans in the manifest's order, by the versions that the run takes, with what was bound", async () => {
  const [b, a] = [integration('@b/mail'), integration('@a/mail')];
  const services = servicesWith([
    connection('@a/mail', 'a1'),
    connection('@b/mail', 'b2', 'Second'),
    connection('@b/mail', 'b1', 'First'),
  ]);
  const chosen = { '@a/mail': ['a1'] };
  const { plan, warnings } = await bindIntegrations(
    agentWith([a, b], ['@b/mail', '@a/mail']),
    chosen,
    services,
  );
  expect(services.asked).toEqual([{ agentId: '@test/agent', known: ['@b/mail', '@a/mail'], chosen }]);
  expect(plan.map(({ id, connections }) => [id, connections.map(({ label }) => label)])).toEqual([
    ['@b/mail', ['Second', 'First']],
    ['@a/mail', ['Work']],
  ]);
  expect(plan[0]?.apis).toMatchObject([
    { callTool: 'api_call', authorizedUris: ['https://api.example.com/**'] },
  ]);
  expect(warnings).toEqual([]);
});

it('asks nobody for an agent without integrations', async () => {
  const services = servicesWith([]);
  const bound = await bindIntegrations(agentWith([]), undefined, services);
  expect(services.asked).toEqual([]);
  const without = await bindIntegrations(agentWith([integration('@a/mail')]), 'none', services);
  expect(services.asked).toEqual([]);
  expect(without.plan).toEqual([]);
  expect(callsServices(bound)).toBe(false);
});

it('refuses an integration with a connection and no tool, instead of an agent that improvises', async () => {
  const hidden = integration('@a/mail', { hidden_tools: ['api_call'] });
  const outcome = bindIntegrations(
    agentWith([hidden]),
    undefined,
    servicesWith([connection('@a/mail', 'a1')]),
  );
  await expect(outcome).rejects.toMatchObject({
    problem: { code: 'no_tools_selected', pointer: '/integrations_configuration/@a~1mail' },
  });
  // Nothing was bound: nothing of it is wanted.
  const inert = await bindIntegrations(agentWith([hidden]), undefined, servicesWith([]));
  expect(callsServices(inert)).toBe(false);
});

it("takes the author's limits, names what it ignores, and refuses what cannot be", async () => {
  const { limits, warnings } = await bindIntegrations(
    agentWith([]),
    undefined,
    servicesWith([], { SIDECAR_API_CALL_CONCURRENCY: '5', SIDECAR_MAX_REQUEST_BODY_BYTES: '10MB' }),
  );
  expect(limits).toMatchObject({ apiCallConcurrency: 5, maxRequestBodyBytes: 10 * 1024 * 1024 });
  expect(warnings).toMatchObject([{ code: 'sidecar_setting_ignored' }]);
  const tooMuch = { SIDECAR_MAX_MCP_ENVELOPE_BYTES: '999999999999' };
  await expect(bindIntegrations(agentWith([]), undefined, servicesWith([], tooMuch))).rejects.toThrow(
    ProblemError,
  );
});
