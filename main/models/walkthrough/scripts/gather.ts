import { GATHER_PROGRAM, MAKE_TEXT_SAFE, MAKE_TITLES_SAFE } from '../programs/gather-program.ts';
import { call, turn, type Script, type ScriptContext, type Turn } from '../turn.ts';
import { bash, counted, deliver, edit, exitCode, log, missingTools, parseObject, quote } from './steps.ts';

const PROGRAM = 'work/gather.py';
const RESULT = 'work/result.json';

/** Plays `@slipway/gather` over any PDFs and tables. */
export const gather: Script = function* (context) {
  const unable = missingTools(context);
  if (unable) return unable;
  const files = context.task.documents.map(({ path }) => path);
  if (files.length === 0)
    return yield* giveUp(context, 'No files were given: this agent gathers PDFs and tables.');

  yield turn(
    'First a look at what was given, with sizes and the real types of the files.',
    log(context, 'info', `Looking at ${counted(files.length, 'file')}`),
    bash(
      'stat -c "%s %n" documents/* && for f in documents/*; do printf "%s: " "$f"; head -c 4 "$f" | od -An -c | tr -d "\\n"; echo; done',
    ),
  );
  yield turn(
    'One program for all of them: a sheet for each table, one sheet for the text of the PDFs, and a summary in front.',
    call('write', { path: PROGRAM, content: GATHER_PROGRAM }),
  );
  const failure = yield* run(context, ['python3', PROGRAM, ...files].map(quote).join(' '));
  if (failure !== undefined) return yield* giveUp(context, failure);

  const [text = ''] = yield turn(
    'Done. I open the workbook again to see that it is whole, and read what the program counted.',
    call('read', { path: RESULT }),
    bash(
      `python3 -c 'import openpyxl; b = openpyxl.load_workbook("outputs/gathered.xlsx"); [print(s.title, s.max_row, "x", s.max_column) for s in b]'`,
    ),
  );
  const result = parseObject(text);
  if (!result) return yield* giveUp(context, 'The program left no result that could be read.');
  const { tables, rows, pages, problems, sources } = result;
  const read = files.length - Number(problems);
  const message = `${read} of ${counted(files.length, 'file')} read: ${counted(tables, 'table')} with ${counted(rows, 'row')}, and ${counted(pages, 'PDF page')}.`;
  return yield* deliver(context, read < files.length ? 'warn' : 'info', message, {
    status: read === files.length ? 'done' : read > 0 ? 'partial' : 'failed',
    message,
    tables,
    rows,
    pages,
    sources,
    workbook: 'outputs/gathered.xlsx',
    summary: 'outputs/summary.md',
  });
};

/** Runs the program, and mends what Excel refuses; says why where that does not help. */
function* run(
  context: ScriptContext,
  command: string,
): Generator<Turn, string | undefined, readonly string[]> {
  const mended = { titles: false, text: false };
  let say = 'Now all the files.';
  for (;;) {
    const [output = ''] = yield turn(say, bash(command, 200));
    if (exitCode(output) === 0) return undefined;
    if (/sheet title|sheet names/.test(output) && !mended.titles) {
      mended.titles = true;
      yield turn(
        'Excel refuses the name of a file as the name of a sheet. The program must make safe names of them, and keep them apart.',
        log(context, 'info', 'A file’s name cannot be a sheet’s name; making safe names'),
        edit(PROGRAM, MAKE_TITLES_SAFE),
      );
    } else if (/IllegalCharacterError|cannot be used in worksheets/.test(output) && !mended.text) {
      mended.text = true;
      yield turn(
        'There are control characters in a text, which no cell may hold. They become blanks.',
        log(context, 'info', 'Taking control characters out of the texts'),
        edit(PROGRAM, MAKE_TEXT_SAFE),
      );
    } else {
      const last = output
        .trim()
        .split('\n')
        .findLast((line) => line !== '' && !line.startsWith('Command exited'));
      return `The files could not be gathered. The program ended with: ${last ?? 'no message'}`;
    }
    say = 'Again, with the mended program.';
  }
}

function* giveUp(context: ScriptContext, message: string) {
  return yield* deliver(context, 'error', message, {
    status: 'failed',
    message,
    tables: 0,
    rows: 0,
    pages: 0,
    sources: [],
    workbook: null,
    summary: null,
  });
}
