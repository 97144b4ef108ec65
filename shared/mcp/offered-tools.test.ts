import { describe, expect, it } from 'vitest';
import { offerTools } from './offered-tools.ts';

const tool = (name: string, description = name) => ({
  name,
  description,
  inputSchema: { type: 'object' as const },
});
const listing = (connectionId: string, ...names: string[]) => ({
  connectionId,
  tools: names.map((name) => tool(name, `${name} of ${connectionId}`)),
});

const offer = (more: Partial<Parameters<typeof offerTools>[0]> = {}) =>
  offerTools({
    namespace: 'acme',
    server: { tools: '*', hidden: [] },
    listings: [listing('c1', 'list-issues', 'delete')],
    withheld: [],
    trusted: [],
    ...more,
  });
const namesOf = (more?: Parameters<typeof offer>[0]) => offer(more).offered.map(({ name }) => name);

describe('the tools of an agent', () => {
  it('are those that were chosen and that the server has', () => {
    const { offered, missing } = offer({ server: { tools: ['list-issues', 'gone'], hidden: [] } });
    expect(offered.map(({ name }) => name)).toEqual(['acme__list_issues']);
    expect(missing).toEqual(['gone']);
  });

  it('are never hidden ones, whatever was chosen', () => {
    expect(namesOf({ server: { tools: '*', hidden: ['delete'] } })).toEqual(['acme__list_issues']);
    expect(namesOf({ server: { tools: ['delete'], hidden: ['delete'] } })).toEqual([]);
  });

  it('keep their names whatever else is chosen', () => {
    const listings = [listing('c1', 'a.b', 'a-b')];
    expect(namesOf({ listings })).toEqual(['acme__a_b', 'acme__a_b_2']);
    expect(namesOf({ listings, server: { tools: ['a-b'], hidden: [] } })).toEqual(['acme__a_b_2']);
  });

  it('yield to those the platform makes', () => {
    const listings = [listing('c1', 'api_call', 'list')];
    expect(namesOf({ listings, trusted: ['api_call'] })).toEqual(['acme__list']);
    expect(namesOf({ listings })).toEqual(['acme__api_call', 'acme__list']);
  });

  it('are had of each connection whose server has them', () => {
    const { offered } = offer({ listings: [listing('c1', 'a'), listing('c2', 'a', 'b')] });
    expect(offered).toMatchObject([
      { name: 'acme__a', connectionIds: ['c1', 'c2'], definition: { description: 'a of c1' } },
      { name: 'acme__b', connectionIds: ['c2'] },
    ]);
  });

  it('are not withheld ones, which are told', () => {
    const listings = [listing('c1', 'a'), listing('c2', 'a')];
    const one = offer({ listings, withheld: [{ connectionId: 'c1', tool: 'a' }] });
    expect(one.offered).toMatchObject([{ connectionIds: ['c2'], definition: { description: 'a of c2' } }]);
    expect(one.withheld).toEqual(['a']);
    const both = listings.map(({ connectionId }) => ({ connectionId, tool: 'a' }));
    expect(offer({ listings, withheld: both })).toMatchObject({ offered: [], withheld: ['a'], missing: [] });
  });
});
