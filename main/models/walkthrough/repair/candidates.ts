import type { Failure, TestReport } from './test-report.ts';

/** A change to a script that might mend it. */
export interface Candidate {
  /** What it does, for the person. */
  readonly title: string;
  readonly text: string;
}

/** Modules of the standard library whose name alone tells what a script meant. */
const MODULES = new Set(
  'argparse base64 collections copy csv datetime decimal enum functools glob hashlib heapq io itertools json logging math operator os pathlib random re shutil sqlite3 statistics string subprocess sys tempfile textwrap time typing unicodedata uuid'.split(
    ' ',
  ),
);

/** Names that belong to one module. */
const NAMES: Readonly<Record<string, string>> = {
  Counter: 'collections',
  Decimal: 'decimal',
  Enum: 'enum',
  Fraction: 'fractions',
  OrderedDict: 'collections',
  Path: 'pathlib',
  chain: 'itertools',
  dataclass: 'dataclasses',
  date: 'datetime',
  deepcopy: 'copy',
  defaultdict: 'collections',
  deque: 'collections',
  namedtuple: 'collections',
  reduce: 'functools',
  sqrt: 'math',
  timedelta: 'datetime',
};

/**
 * Changes worth trying, most likely first. They are a few general guesses from what failed, made on the
 * text alone; which of them is right is for the tests to say.
 */
export function candidates(script: string, scriptName: string, report: TestReport): Candidate[] {
  const found = report.failures.flatMap((failure) => forFailure(script, scriptName, failure));
  const seen = new Set([script]);
  return found.filter(({ text }) => !seen.has(text) && seen.add(text));
}

function forFailure(script: string, scriptName: string, failure: Failure): Candidate[] {
  const { error, message } = failure;
  const place = failure.frames.findLast(({ file }) => file === scriptName);
  if (error === 'SyntaxError' && place) return forSyntax(script, place.line, message);
  if (error === 'TabError') {
    return [8, 4].map((width) => ({ title: 'Use blanks instead of tabs', text: expandTabs(script, width) }));
  }
  if (error === 'NameError') return forName(script, /name '(\w+)'/.exec(message)?.[1] ?? '');
  const functions = functionsOf(script, place ? [place.function, ...failure.calls] : failure.calls);
  return [
    ...forEmptyInput(script, failure, functions),
    ...functions.flatMap((range) =>
      operators(script, range, place?.function === range.name ? place.line : undefined),
    ),
  ];
}

function expandTabs(script: string, width: number): string {
  return script
    .split('\n')
    .map((line) => {
      let result = '';
      for (const character of line) {
        result += character === '\t' ? ' '.repeat(width - (result.length % width)) : character;
      }
      return result;
    })
    .join('\n');
}

function forSyntax(script: string, line: number, message: string): Candidate[] {
  const lines = script.split('\n');
  const text = lines[line - 1] ?? '';
  const code = text.replace(/\s*#.*$/, '');
  const replaced = (title: string, replacement: string) => ({
    title,
    text: lines.with(line - 1, replacement).join('\n'),
  });
  if (/expected ':'/.test(message)) {
    return [
      replaced(`Put the missing colon at the end of line ${line}`, `${code}:${text.slice(code.length)}`),
    ];
  }
  const open = /'([([{])' was never closed/.exec(message)?.[1];
  if (open) {
    const close = { '(': ')', '[': ']', '{': '}' }[open] ?? '';
    return [
      replaced(`Close the bracket in line ${line}`, `${code}${close}${text.slice(code.length)}`),
      // In the head of a block the bracket belongs before the colon.
      replaced(
        `Close the bracket in line ${line}`,
        code.replace(/:$/, `${close}:`) + text.slice(code.length),
      ),
    ];
  }
  if (/Maybe you meant '==' /.test(message)) {
    return [
      replaced(`Compare instead of assigning in line ${line}`, text.replace(/([^=!<>])=([^=])/, '$1==$2')),
    ];
  }
  const print = /^(\s*)print\s+(.+)$/.exec(code);
  if (/Missing parentheses/.test(message) && print) {
    return [replaced(`Call print with brackets in line ${line}`, `${print[1]}print(${print[2]})`)];
  }
  return [];
}

function forName(script: string, name: string): Candidate[] {
  if (name === '') return [];
  const found: Candidate[] = [];
  if (MODULES.has(name)) found.push({ title: `Import ${name}`, text: withImport(script, `import ${name}`) });
  const module = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  if (module !== undefined) {
    found.push({
      title: `Import ${name} from ${module}`,
      text: withImport(script, `from ${module} import ${name}`),
    });
  }
  const known = new Set(script.match(/[A-Za-z_]\w{2,}/g) ?? []);
  known.delete(name);
  for (const other of known) {
    if (distance(name, other) === 1) {
      found.push({
        title: `Write ${other} where it says ${name}`,
        text: script.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), other),
      });
    }
  }
  return found;
}

/** Below the module's docstring and its `from __future__` lines, above all else. */
function withImport(script: string, statement: string): string {
  const head =
    /^(?:#.*\n|\s*\n)*(?:(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*')[ \t]*\n)?(?:[ \t]*\n)*(?:from __future__ .*\n)*/.exec(
      script,
    );
  const at = head?.[0].length ?? 0;
  return `${script.slice(0, at)}${statement}\n${script.slice(at)}`;
}

interface FunctionRange {
  readonly name: string;
  /** Index of its `def` line. */
  readonly start: number;
  /** Index after its last line. */
  readonly end: number;
  /** Its first parameter that is not `self` or `cls`. */
  readonly parameter: string | undefined;
}

function functionsOf(script: string, names: readonly string[]): FunctionRange[] {
  const lines = script.split('\n');
  return [...new Set(names)].flatMap((name) => {
    const start = lines.findIndex((line) => new RegExp(`^\\s*(async\\s+)?def\\s+${name}\\s*\\(`).test(line));
    if (start === -1) return [];
    const indent = /^\s*/.exec(lines[start] ?? '')?.[0].length ?? 0;
    let end = start + 1;
    while (
      end < lines.length &&
      (lines[end]?.trim() === '' || (/^\s*/.exec(lines[end] ?? '')?.[0].length ?? 0) > indent)
    ) {
      end += 1;
    }
    const parameters = /\(([^)]*)/.exec(lines[start] ?? '')?.[1]?.split(',') ?? [];
    const parameter = parameters
      .map((text) => /^\s*(\w+)/.exec(text)?.[1])
      .find((text) => text !== undefined && text !== 'self' && text !== 'cls');
    return [{ name, start, end, parameter }];
  });
}

/** Exceptions that an empty list, text or mapping usually causes. */
const EMPTY_ERRORS =
  /^(ZeroDivisionError|IndexError|ValueError|KeyError|StopIteration|TypeError|AssertionError)$/;
const LITERAL = String.raw`-?\d+(?:\.\d+)?|None|True|False|\[\]|\{\}|\(\)|""|''|"[^"]*"|'[^']*'`;
const EMPTY = String.raw`(?:\[\]|\{\}|\(\)|""|''|set\(\)|None)`;

/** A guard for a function that its test calls with nothing, with the answer the test expects. */
function forEmptyInput(script: string, failure: Failure, functions: readonly FunctionRange[]): Candidate[] {
  if (!EMPTY_ERRORS.test(failure.error)) return [];
  const sources = failure.frames.map(({ source }) => source);
  return functions.flatMap(({ name, start, end, parameter }) => {
    if (parameter === undefined) return [];
    const called = String.raw`${name}\(\s*${EMPTY}[^()]*\)`;
    const source = sources.find((text) => new RegExp(called).test(text));
    if (source === undefined) return [];
    const expected = expectedIn(source, called);
    const [raised] = failure.expects;
    const answer = raised
      ? `raise ${raised}("${parameter} is empty")`
      : expected === undefined
        ? undefined
        : `return ${expected}`;
    if (answer === undefined) return [];
    const lines = script.split('\n');
    const body = bodyStart(lines, start, end);
    const indent = /^\s*/.exec(lines[body] ?? '')?.[0] ?? '    ';
    const guard = [`${indent}if not ${parameter}:`, `${indent}    ${answer}`];
    return [
      {
        title: `Answer an empty ${parameter} in ${name} first`,
        text: [...lines.slice(0, body), ...guard, ...lines.slice(body)].join('\n'),
      },
    ];
  });
}

/** What a test's line says that the call should give. */
function expectedIn(source: string, called: string): string | undefined {
  const patterns = [
    new RegExp(String.raw`assert\w*Equals?\(\s*${called}\s*,\s*(${LITERAL})\s*[,)]`),
    new RegExp(String.raw`assert\w*Equals?\(\s*(${LITERAL})\s*,\s*${called}\s*[,)]`),
    new RegExp(String.raw`assert\s+${called}\s*(?:==|is)\s*(${LITERAL})`),
  ];
  for (const pattern of patterns) {
    const literal = pattern.exec(source)?.[1];
    if (literal !== undefined) return literal;
  }
  if (new RegExp(String.raw`assertIsNone\(\s*${called}`).test(source)) return 'None';
  if (new RegExp(String.raw`assertTrue\(\s*${called}`).test(source)) return 'True';
  if (new RegExp(String.raw`assertFalse\(\s*${called}`).test(source)) return 'False';
  return undefined;
}

/** First line of a function's body after its head and docstring. */
function bodyStart(lines: readonly string[], start: number, end: number): number {
  let line = start;
  while (line < end && !/:\s*(#.*)?$/.test(lines[line] ?? '')) line += 1;
  line += 1;
  const quote = /^\s*[rR]?("""|''')/.exec(lines[line] ?? '')?.[1];
  if (quote === undefined) return line;
  const first = (lines[line] ?? '').trim();
  if (first.length > 5 && first.endsWith(quote)) return line + 1;
  while (line < end - 1 && !(lines[line + 1] ?? '').includes(quote)) line += 1;
  return line + 2;
}

/** Small changes of bounds, divisions and comparisons. */
const SWAPS: readonly { title: string; pattern: RegExp; replacement: string }[] = [
  { title: 'Divide without dropping the fraction', pattern: /\/\//, replacement: '/' },
  { title: 'Start at the first element', pattern: /\brange\(1,\s*/, replacement: 'range(' },
  {
    title: 'Go on to the last element',
    pattern: /\brange\((.+?) - 1\)(?=\s*[:\])])/,
    replacement: 'range($1)',
  },
  {
    title: 'Go one step further',
    pattern: /\brange\(([^(),]+(?:\([^()]*\))?[^(),]*)\)(?=\s*[:\])])/,
    replacement: 'range($1 + 1)',
  },
  {
    title: 'Go one step further',
    pattern: /\brange\((.+?),\s*(.+?)\)(?=\s*[:\])])/,
    replacement: 'range($1, $2 + 1)',
  },
  { title: 'Stop one step earlier', pattern: /\brange\((.+?) \+ 1\)(?=\s*[:\])])/, replacement: 'range($1)' },
  { title: 'Include the bound', pattern: /(?<![<>=!-])<(?![<=])/, replacement: '<=' },
  { title: 'Leave the bound out', pattern: /(?<![<>=!])<=/, replacement: '<' },
  { title: 'Include the bound', pattern: /(?<![<>=!-])>(?![>=])/, replacement: '>=' },
  { title: 'Leave the bound out', pattern: /(?<![<>=!])>=/, replacement: '>' },
  { title: 'Take the slice to its end', pattern: /\[(.*?):(.*?) - 1\]/, replacement: '[$1:$2]' },
  { title: 'Do not add one', pattern: /\s\+ 1\b(?!\.)/, replacement: '' },
  { title: 'Do not take one off', pattern: /\s- 1\b(?!\.)/, replacement: '' },
  { title: 'Divide whole numbers', pattern: /(?<!\/)\/(?!\/)/, replacement: '//' },
];

function operators(
  script: string,
  { name, start, end }: FunctionRange,
  line: number | undefined,
): Candidate[] {
  const lines = script.split('\n');
  const found: { title: string; text: string; at: number }[] = [];
  for (const { title, pattern, replacement } of SWAPS) {
    for (let index = start + 1; index < end; index += 1) {
      const text = lines[index] ?? '';
      if (/^\s*(#|"""|''')/.test(text) || !pattern.test(text)) continue;
      const changed = lines.with(index, text.replace(pattern, replacement)).join('\n');
      found.push({ title: `${title} in ${name}, line ${index + 1}`, text: changed, at: index + 1 });
    }
  }
  // The line that raised the error is the first suspect.
  return [...found.filter(({ at }) => at === line), ...found.filter(({ at }) => at !== line)];
}

/** Levenshtein distance, as far as telling 1 from more needs it. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 1) return 2;
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  let endA = a.length;
  let endB = b.length;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  return Math.max(endA - start, endB - start);
}
