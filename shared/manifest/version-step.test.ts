import { describe, expect, it } from 'vitest';
import {
  agentFiles,
  integrationFiles,
  serverFiles,
  skillFiles,
  type Files,
} from '#test/support/test-packages.ts';
import { reachChanges } from './changes.ts';
import type { IntegrationManifest } from './model/integration.ts';
import { reachOf } from './reach.ts';
import { validateManifest, type PackageManifest } from './validate.ts';
import { versionStep, type VersionStep } from './version-step.ts';

type More = Readonly<Record<string, unknown>>;

function manifestOf(files: Files): PackageManifest {
  const { manifest, findings } = validateManifest(String(files.get('manifest.json')), {
    direction: 'author',
  });
  if (manifest === undefined) throw new Error(findings[0]?.message);
  return manifest;
}

function integrationOf(more: More = {}): IntegrationManifest {
  const manifest = manifestOf(integrationFiles('@you/mail', more));
  if (manifest.type !== 'integration') throw new Error('another type');
  return manifest;
}

function step(before: Files, after: Files, mail = integrationOf()): VersionStep {
  const states = [before, after].map((files) => {
    const listed = [...files].map(([path, bytes]) => ({ path, digest: bytes.toString('base64') }));
    const manifest = manifestOf(files);
    const lookup = {
      integration: (name: string) => (name === mail.name ? mail : undefined),
      mcpServer: () => undefined,
    };
    return { manifest, files: listed, lookup, reach: reachOf({ manifest, files: listed }) };
  });
  const [old, now] = states;
  if (old === undefined || now === undefined) throw new Error('two states');
  return versionStep(old, now, reachChanges(old.reach, now.reach));
}

const asks = (properties: More, more: More = {}): More => ({
  schema: { type: 'object', properties, ...more },
});
const agent = (more: More = {}) => agentFiles('@you/a', more);
const mail = (more: More = {}) => integrationFiles('@you/mail', more);
const text = { type: 'string' };

describe('the step of an agent', () => {
  it.each([
    [
      'a field that must be given',
      asks({ a: text }),
      asks({ a: text, b: text }, { required: ['b'] }),
      'the input must have b',
    ],
    ['a field that is gone', asks({ a: text, b: text }), asks({ a: text }), 'the input has no b any more'],
    [
      'a field within another that is gone',
      asks({ a: { type: 'array', items: { type: 'object', properties: { c: text } } } }),
      asks({ a: { type: 'array', items: { type: 'object', properties: {} } } }),
      'the input has no a[].c any more',
    ],
    ['another type', asks({ a: { type: 'number' } }), asks({ a: { type: 'integer' } }), 'takes less (type)'],
    ['fewer values', asks({ a: { enum: [1, 2] } }), asks({ a: { enum: [1] } }), 'takes less (enum)'],
    ['a new limit', asks({ a: text }), asks({ a: { ...text, maxLength: 9 } }), 'takes less (maxLength)'],
    [
      'what cannot be compared',
      asks({ a: { anyOf: [text] } }),
      asks({ a: { anyOf: [{ type: 'null' }] } }),
      'takes less (anyOf)',
    ],
  ])('is major for an input with %s', (_, before, after, reason) => {
    const { step: size, reasons } = step(agent({ input: before }), agent({ input: after }));
    expect([size, reasons.length]).toEqual(['major', 1]);
    expect(reasons[0]).toContain(reason);
  });

  it.each([
    ['may be given more', asks({ a: text }), asks({ a: text, b: text }), 'minor'],
    [
      'must be given less',
      asks({ a: text }, { required: ['a'] }),
      asks({ a: { type: ['string', 'null'] } }),
      'patch',
    ],
    [
      'allows what was a whole number only',
      asks({ a: { type: 'integer' } }),
      asks({ a: { type: 'number' } }),
      'patch',
    ],
    [
      'has a limit that is further',
      asks({ a: { ...text, maxLength: 9 } }),
      asks({ a: { ...text, maxLength: 99 } }),
      'patch',
    ],
  ])('is no major one for an input that %s', (_, before, after, size) => {
    expect(step(agent({ input: before }), agent({ input: after }))).toEqual({ step: size, reasons: [] });
  });

  it('turns the rule about for the output: more is fine, less breaks those who read it', () => {
    const giving = (output: More) => agent({ output, runtime_tools: ['output'] });
    const output = asks({ a: text }, { required: ['a'] });
    const more = asks({ a: text, b: text }, { required: ['a', 'b'] });
    expect(step(giving(output), giving(more))).toEqual({ step: 'minor', reasons: [] });
    expect(step(giving(more), giving(output)).reasons).toEqual([
      'the output has no b any more',
      'the output may be without b',
    ]);
    const wider = asks({ a: { type: ['string', 'null'] } }, { required: ['a'] });
    expect(step(giving(output), giving(wider)).step).toBe('major');
    expect(step(giving(output), agent()).reasons).toEqual(['there is no output any more']);
  });

  it('is major for a scope that a ticked tool needs, and minor for a tool without one', () => {
    const scoped = integrationOf({ tools_policy: { api_call: { required_scopes: { main: ['send'] } } } });
    const using = (tools: string[]) =>
      agent({
        dependencies: { integrations: { '@you/mail': '^1' } },
        integrations_configuration: { '@you/mail': { tools } },
      });
    expect(step(using([]), using(['api_call']), scoped)).toEqual({
      step: 'major',
      reasons: ['@you/mail is asked for the scope send'],
    });
    expect(step(using([]), using(['api_call'])).step).toBe('minor');
    expect(step(agent(), using([])).reasons).toEqual(['an account of @you/mail is needed']);
  });

  it('is minor for a tool, and patch for other words', () => {
    expect(step(agent(), agent({ runtime_tools: ['log'] })).step).toBe('minor');
    expect(step(agent(), agent().set('prompt.md', Buffer.from('Do it well.'))).step).toBe('patch');
  });
});

describe('the step of an integration', () => {
  const auths = (change: More) => {
    const files = mail();
    const { auths: known } = JSON.parse(String(files.get('manifest.json'))) as { auths: { main: More } };
    return mail({ auths: { main: { ...known.main, ...change } } });
  };

  it('is major for hosts that are gone, and minor for new ones', () => {
    const two = auths({ authorized_uris: ['https://api.mail.example/**', 'https://up.mail.example/**'] });
    expect(step(two, mail()).reasons).toEqual(['main may no longer be sent to https://up.mail.example/**']);
    expect(step(mail(), two)).toEqual({ step: 'minor', reasons: [] });
  });

  it('is major for scopes that every account is asked for, or no longer', () => {
    const more = auths({ default_scopes: ['read', 'send'] });
    expect(step(mail(), more).reasons).toEqual(['main asks for the scope send']);
    expect(step(more, mail()).reasons).toEqual(['main asks no longer for send']);
  });

  it('is major for a tool that is hidden', () => {
    expect(step(mail(), mail({ hidden_tools: ['api_call'], default_tools: [] })).reasons).toEqual([
      'the tool api_call is gone',
    ]);
  });
});

it('is major for a server without a tool it had, and a skill without a file', () => {
  const two = serverFiles('@you/server', { tools: [{ name: 'look' }, { name: 'go' }] });
  expect(step(two, serverFiles('@you/server')).reasons).toEqual(['the tool go is gone']);
  const skill = skillFiles('@you/skill');
  const more = skillFiles('@you/skill').set('scripts/a.py', Buffer.from('1'));
  expect(step(more, skill).reasons).toEqual(['scripts/a.py is gone']);
  expect(step(skill, more).step).toBe('minor');
});
