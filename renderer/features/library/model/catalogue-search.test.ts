import { describe, expect, it } from 'vitest';
import type { CatalogueEntry } from '#shared/ipc/library-routes.ts';
import { connectWords, searchCatalogue } from './catalogue-search.ts';

function entry(displayName: string, given: Partial<CatalogueEntry> = {}): CatalogueEntry {
  const name = `@slipway/${displayName.toLowerCase().replaceAll(' ', '-')}`;
  return { name, displayName, description: '', tags: [], auths: [], source: 'none', ...given };
}

describe('searchCatalogue', () => {
  it('puts the service that is called so before those that only speak of it', () => {
    const entries = [
      entry('Asana', { description: 'Tasks, like those of Notion.' }),
      entry('Calendar for Notion'),
      entry('Notion'),
    ];
    const found = searchCatalogue(entries, 'notion').map(({ displayName }) => displayName);
    expect(found).toEqual(['Notion', 'Calendar for Notion', 'Asana']);
  });

  it('finds by what a service is for, and wants every word', () => {
    const entries = [entry('Gmail', { tags: ['mail', 'google'] }), entry('Outlook', { tags: ['mail'] })];
    expect(searchCatalogue(entries, 'mail google')).toHaveLength(1);
    expect(searchCatalogue(entries, '')).toHaveLength(2);
  });
});

describe('connectWords', () => {
  it('names each way once', () => {
    const auths = [
      { key: 'a', type: 'oauth2' },
      { key: 'b', type: 'oauth2' },
      { key: 'c', type: 'api_key' },
    ] as const;
    expect(connectWords({ auths: [...auths] })).toBe('sign-in or key');
    expect(connectWords({ auths: [] })).toBe('no account');
  });
});
