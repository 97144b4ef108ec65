export interface Command {
  readonly id: string;
  /** Kind of thing, shown behind the title. */
  readonly group:
    'Here' | 'Agent' | 'Skill' | 'Integration' | 'MCP server' | 'Library' | 'Run' | 'Settings' | 'Action';
  readonly title: string;
  /** Further words it is found by. */
  readonly hint: string;
  run(): void;
}

/** Results shown at once. */
const MAX_RESULTS = 12;

/** The commands that have every word of the query, the ones whose title begins with it first. */
export function findCommands(commands: readonly Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands.flatMap((command, order) => {
    const title = command.title.toLowerCase();
    const text = `${title} ${command.hint.toLowerCase()} ${command.group.toLowerCase()}`;
    if (!words.every((word) => text.includes(word))) return [];
    const score = words.reduce((sum, word) => sum + scoreWord(title, word), 0);
    return [{ command, order, score }];
  });
  return found
    .sort((a, b) => b.score - a.score || a.order - b.order)
    .slice(0, MAX_RESULTS)
    .map(({ command }) => command);
}

function scoreWord(title: string, word: string): number {
  if (title.startsWith(word)) return 3;
  if (title.includes(` ${word}`)) return 2;
  return title.includes(word) ? 1 : 0;
}
