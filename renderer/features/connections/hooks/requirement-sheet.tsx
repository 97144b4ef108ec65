import { createContext, use, useMemo, useState, type ReactNode } from 'react';
import { useServices } from '#renderer/state/app-context.tsx';
import type { RunRequirements } from '#shared/connections/requirements.ts';
import type { ChosenConnections } from '#shared/ipc/connection-routes.ts';
import { toProblem, type Problem } from '#shared/problem.ts';

/** A question for the accounts of an agent: for a run that waits, or for its next ones. */
export interface RunQuestion {
  readonly agentId: string;
  readonly requirements: RunRequirements;
  /** Goes on with what was chosen; without it the choice is only remembered. */
  readonly run?: (connections: ChosenConnections) => void;
}

interface RequirementDesk {
  readonly question: RunQuestion | undefined;
  readonly ask: (question: RunQuestion) => void;
  readonly close: () => void;
}

const RequirementContext = createContext<RequirementDesk | undefined>(undefined);

/** Gives every screen below the one sheet that stands before a run. */
export function RequirementProvider({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<RunQuestion | undefined>(undefined);
  const desk = useMemo(
    () => ({ question, ask: setQuestion, close: () => setQuestion(undefined) }),
    [question],
  );
  return <RequirementContext value={desk}>{children}</RequirementContext>;
}

/** The sheet before a run. @throws Error outside of {@link RequirementProvider}. */
export function useRequirementDesk(): RequirementDesk {
  const desk = use(RequirementContext);
  if (!desk) throw new Error('useRequirementDesk needs a RequirementProvider above it');
  return desk;
}

/** The way to a run: at once when all it needs is there and was chosen before, else by the sheet. */
export function useRunGate(onProblem: (problem: Problem) => void): {
  /** Goes on with no choice of its own when there is nothing to ask. */
  readonly pass: (agentId: string, run: (connections: ChosenConnections | undefined) => void) => void;
  /** Asks whatever there is, to change what was chosen. */
  readonly choose: (agentId: string, run: (connections: ChosenConnections) => void) => void;
  readonly isLooking: boolean;
} {
  const { client, store } = useServices();
  const { ask } = useRequirementDesk();
  const [isLooking, setIsLooking] = useState(false);
  const look = (agentId: string, take: (requirements: RunRequirements) => void) => {
    setIsLooking(true);
    client
      .request('connections.requirements', { agentId })
      .then(take)
      .catch((error: unknown) => onProblem(toProblem(error)))
      .finally(() => setIsLooking(false));
  };
  return {
    isLooking,
    pass: (agentId, run) =>
      look(agentId, (requirements) => {
        const isOpen = store.getState().vault?.state === 'open';
        if (isSettled(requirements, isOpen)) run(undefined);
        else ask({ agentId, requirements, run });
      }),
    choose: (agentId, run) => look(agentId, (requirements) => ask({ agentId, requirements, run })),
  };
}

/** Whether a run may begin without a question: each account works and was chosen for this agent before. */
export function isSettled({ isReady, integrations }: RunRequirements, isVaultOpen: boolean): boolean {
  const used = integrations.filter(({ status }) => status !== 'inert');
  return isReady && (used.length === 0 || isVaultOpen) && used.every(({ source }) => source === 'agent');
}
