import { lazyScreen } from '#renderer/components/lazy-screen.tsx';
import { useRequirementDesk } from '../hooks/requirement-sheet.tsx';

const OpenRequirementSheet = lazyScreen(
  'Loading',
  async () => (await import('./open-requirement-sheet.tsx')).OpenRequirementSheet,
);

/** The sheet before a run, while one asks. Its code is loaded after the first screen. */
export function RequirementSheet() {
  const { question, close } = useRequirementDesk();
  return question ? <OpenRequirementSheet question={question} onClose={close} /> : null;
}
