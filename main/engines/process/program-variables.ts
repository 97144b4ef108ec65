import { PROGRAM_VARIABLES } from '../program.ts';

/** Names a program may take over from the app's environment; none of them carries a secret. */
const ALLOWED = [
  'PATH',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  // Without these, programs do not start on Windows.
  'SystemRoot',
  'SystemDrive',
  'windir',
  'ComSpec',
  'PATHEXT',
  'NUMBER_OF_PROCESSORS',
  'PROCESSOR_ARCHITECTURE',
];

/** Variable by which a container's processes are found again, also those that left its process tree. */
export const MARKER = 'SLIPWAY_CONTAINER';

/** A program's environment: an allow-list of the app's own, and folders of its own. Nothing else. */
export function programVariables(
  variables: Readonly<Record<string, string | undefined>>,
  own: { readonly home: string; readonly temporary: string; readonly marker: string },
): Record<string, string> {
  const allowed = ALLOWED.flatMap((name) => {
    const value = variables[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(allowed),
    ...PROGRAM_VARIABLES,
    HOME: own.home,
    USERPROFILE: own.home,
    TMPDIR: own.temporary,
    TEMP: own.temporary,
    TMP: own.temporary,
    [MARKER]: own.marker,
  };
}
