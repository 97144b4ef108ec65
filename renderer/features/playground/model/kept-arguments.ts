/** What was typed in, by integration and tool: changing tabs must not lose it. Gone with the window. */
const kept = new Map<string, Readonly<Record<string, unknown>>>();

export function keptArguments(integrationId: string, tool: string): Readonly<Record<string, unknown>> {
  return kept.get(`${integrationId} ${tool}`) ?? {};
}

export function keepArguments(
  integrationId: string,
  tool: string,
  given: Readonly<Record<string, unknown>>,
): void {
  kept.set(`${integrationId} ${tool}`, given);
}
