import { expect, it } from 'vitest';
import { expandTemplate, itemsOf, variablesOf } from './server-items.ts';

it('fills address templates as RFC 6570 has it', () => {
  const values = { id: 'a b/c', path: 'x/y z', q: 'é', page: '2' };
  expect(variablesOf('note://{id}/{+path}{?q,page}{?q}')).toEqual(['id', 'path', 'q', 'page']);
  expect(expandTemplate('note://{id}', values)).toBe('note://a%20b%2Fc');
  expect(expandTemplate('file://{+path}', values)).toBe('file://x/y%20z');
  expect(expandTemplate('/find{?q,page,none}', values)).toBe('/find?q=%C3%A9&page=2');
  expect(expandTemplate('/a?x=1{&page}', values)).toBe('/a?x=1&page=2');
  expect(expandTemplate('/m{/id*}{.page:1}', values)).toBe('/m/a%20b%2Fc.2');
  expect(expandTemplate('/m{?none}', values)).toBe('/m');
});

it('makes a form and a request of each kind of thing that a server lists', () => {
  const [tool] = itemsOf('tools', [
    { name: 'find', inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } },
  ]);
  expect(tool?.fields).toMatchObject([{ name: 'n', kind: 'number', isRequired: true }]);
  expect(tool?.request({ n: 3 })).toEqual({ kind: 'tool', name: 'find', arguments: { n: 3 } });
  const [prompt] = itemsOf('prompts', [
    { name: 'greet', arguments: [{ name: 'who', required: true }, { name: '' }, 'broken'] },
  ]);
  expect(prompt?.fields).toMatchObject([{ name: 'who', kind: 'text', isRequired: true }]);
  // Prompts take texts alone.
  expect(prompt?.request({ who: 7 })).toEqual({ kind: 'prompt', name: 'greet', arguments: { who: '7' } });
  const [template] = itemsOf('templates', [{ name: 't', uriTemplate: 'note://{id}' }]);
  expect(template?.request({ id: '1' })).toEqual({ kind: 'resource', uri: 'note://1' });
  expect(itemsOf('resources', [{ name: 'no address' }, { name: 'r', uri: 'note://1' }])).toHaveLength(1);
});
