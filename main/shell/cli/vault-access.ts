import type { Application } from '#main/app/application.ts';
import { ProblemError } from '#shared/problem.ts';
import { ask, isInteractive } from './prompt.ts';
import type { Streams } from './streams.ts';

/** Does something that may need the vault: where it is found locked, it is opened, and all is done once more. */
export async function withOpenVault<T>(
  application: Pick<Application, 'secrets'>,
  streams: Streams,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== 'vault_locked') throw error;
    await openVault(application, streams);
    return work();
  }
}

/**
 * Opens the vault for a command that needs it. At a terminal the passphrase is asked for, twice for a new
 * vault, since nobody can tell a mistyped one later.
 * @throws ProblemError `vault_locked`, `vault_passphrase_wrong`, `passphrases_differ`, what the vault says.
 */
export async function openVault({ secrets }: Pick<Application, 'secrets'>, streams: Streams): Promise<void> {
  const { state, problem } = secrets.state;
  if (state === 'open') return;
  if (problem) throw new ProblemError(problem);
  if (!isInteractive(streams)) {
    throw new ProblemError({
      code: 'vault_locked',
      title: state === 'absent' ? 'There is no vault yet' : 'The vault is locked',
      detail: 'Connections are kept in a vault under a passphrase, and there is no terminal to ask for it.',
      action: 'Name a file with the passphrase by --passphrase-file.',
    });
  }
  if (state === 'locked') {
    await secrets.unlock(await ask(streams, 'Passphrase of the vault: ', { isHidden: true }));
    return;
  }
  const first = await ask(streams, 'A passphrase for the new vault: ', { isHidden: true });
  if (first === '') {
    throw new ProblemError({
      code: 'passphrase_empty',
      title: 'No passphrase',
      detail: 'A vault needs a passphrase of at least one character.',
    });
  }
  if ((await ask(streams, 'The same once more: ', { isHidden: true })) !== first) {
    throw new ProblemError({
      code: 'passphrases_differ',
      title: 'These are two passphrases',
      detail: 'What was typed the second time is not the first. No vault was made.',
    });
  }
  await secrets.unlock(first);
}
