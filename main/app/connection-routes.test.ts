import { expect, it } from 'vitest';
import { silentLogger } from '#main/logging/logger.ts';
import { ProblemError } from '#shared/problem.ts';
import { FakeApplication } from '#test/support/fake-application.ts';
import { SessionFiles } from './file-handles.ts';
import { createRouter } from './router.ts';

const flow = {
  id: 'flow-1',
  integrationId: '@a/b',
  authKey: 'oauth',
  kind: 'browser' as const,
  state: 'waiting' as const,
  authorizationUrl: 'https://service.example/authorize?x=1',
  expiresAt: 1,
  requestedScopes: ['a'],
};

it('goes on with a sign-in whose browser could not be opened, and says why', async () => {
  const application = new FakeApplication();
  const opened: string[] = [];
  const shell = {
    kind: 'browser' as const,
    canReveal: false,
    openExternal: async (url: string) => {
      opened.push(url);
      throw new ProblemError({ code: 'link_not_opened', title: 'No', detail: 'There is no display here.' });
    },
    saveFile: async () => undefined,
    revealFolder: async () => undefined,
  };
  Object.assign(application.connections, { connect: async () => flow });
  using router = createRouter({ application, shell, logger: silentLogger, checkOutputs: true });
  const context = { signal: new AbortController().signal, files: new SessionFiles() };
  const input = { integrationId: '@a/b', authKey: 'oauth' };
  expect(await router.dispatch('connections.connect', input, context)).toMatchObject({
    ok: true,
    data: { flow: { id: 'flow-1' }, notOpened: { code: 'link_not_opened' } },
  });
  expect(opened).toEqual([flow.authorizationUrl]);
  const abort = new AbortController();
  const updates = router.open('connections', {}, undefined, abort.signal)[Symbol.asyncIterator]();
  await updates.next();
  application.connections.change({ connections: [], flows: [flow], uses: {} });
  expect((await updates.next()).value).toMatchObject({ data: { flows: [{ state: 'waiting' }] } });
  abort.abort();

  const again = await router.dispatch('connections.openAgain', { flowId: 'flow-1' }, context);
  expect(again).toMatchObject({ ok: false, error: { code: 'link_not_opened' } });
  application.connections.change({ connections: [], flows: [{ ...flow, state: 'cancelled' }], uses: {} });
  await router.dispatch('connections.openAgain', { flowId: 'flow-1' }, context);
  expect(opened).toEqual([flow.authorizationUrl, flow.authorizationUrl]);
});
