import { ProblemError } from '#shared/problem.ts';
import { noDisplayReason } from './window.ts';

/**
 * Opens an address or a folder with the desktop's own program for it.
 * @param code of the problem where there is none
 * @throws ProblemError
 */
export async function openOnDesktop(
  target: string,
  code: string,
  title: string,
  action: string,
): Promise<void> {
  const reason = noDisplayReason(process.platform, process.env);
  if (reason) throw new ProblemError({ code, title, detail: `${reason}.`, action });
  const { default: open } = await import('open');
  try {
    await open(target);
  } catch (error) {
    const detail = 'The system has no program for it.';
    throw new ProblemError({ code, title, detail, action }, { cause: error });
  }
}
