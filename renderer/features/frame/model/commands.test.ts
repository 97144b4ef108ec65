import { describe, expect, it } from 'vitest';
import { findCommands, type Command } from './commands.ts';

function command(title: string, group: Command['group'] = 'Agent', hint = ''): Command {
  return { id: title, title, group, hint, run: () => undefined };
}

describe('findCommands', () => {
  const commands = [
    command('Fix a script', 'Agent', '@slipway/fix-script'),
    command('CSV report', 'Agent', '@slipway/csv-report'),
    command('CSV report', 'Run', 'succeeded'),
    command('Models', 'Settings'),
  ];
  const titles = (query: string) =>
    findCommands(commands, query).map(({ group, title }) => `${group} ${title}`);

  it('wants every word, in any order and in any of title, hint and group', () => {
    expect(titles('run csv')).toEqual(['Run CSV report']);
    expect(titles('slipway script')).toEqual(['Agent Fix a script']);
    expect(titles('csv models')).toEqual([]);
  });

  it('puts a title that begins with the query before one that only mentions it', () => {
    expect(titles('s')[0]).not.toBe('Agent CSV report');
    expect(titles('report')).toEqual(['Agent CSV report', 'Run CSV report']);
    expect(titles('mo')[0]).toBe('Settings Models');
  });

  it('shows everything in its order for an empty query', () => expect(titles(' ')).toHaveLength(4));
});
