import { z } from 'zod';

/** Why a call was answered by the sidecar itself (the page: Status and failure codes). */
export const callFailureCodeSchema = z.enum([
  'unauthorized_target',
  'blocked_target',
  'credential_exfiltration_refused',
  'upstream_unresolvable',
  'credential_unusable',
  'upstream_unreachable',
  'upstream_timeout',
]);
export type CallFailureCode = z.infer<typeof callFailureCodeSchema>;
