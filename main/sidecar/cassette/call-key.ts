import { createHash } from 'node:crypto';
import { CALL_OPTIONS_META_KEY } from '#shared/protocol/api-tools.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { canonicalJson } from '#shared/text/canonical-json.ts';
import type { ToolCallContext } from '../tool-registry.ts';
import type { StagedBodies } from '../uploads/staged-bodies.ts';

/** Names a call by all that it asks: equal calls have equal keys, in whatever order their arguments stand. */
export function callKey(
  tool: string,
  input: unknown,
  { meta }: Pick<ToolCallContext, 'meta'>,
  bodies: Pick<StagedBodies, 'peek'>,
): string {
  const said = meta?.[CALL_OPTIONS_META_KEY];
  const { bodyId, ...options } = isRecord(said) ? said : {};
  // A body that was put before is named by chance; what it holds is what is asked.
  const body = typeof bodyId === 'string' ? bodies.peek(bodyId) : undefined;
  return sha256(canonicalJson([tool, input ?? {}, options, body === undefined ? null : sha256(body)]));
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
