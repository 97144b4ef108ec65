import type { ToolSession, ToolSessionOptions } from './tool-session.ts';

/** Opens the tools of integrations; not before somebody calls is the sidecar's and the sandbox's code loaded. */
export async function openSession(options: ToolSessionOptions): Promise<ToolSession> {
  const { openToolSession } = await import('./tool-session.ts');
  return openToolSession(options);
}
