import { z } from 'zod';
import { problemSchema } from '../problem.ts';
import { certificateSummarySchema } from '../settings/certificate.ts';

const nothing = z.object({});

/** The author's network and the limits of the sidecar, as they are now. */
export const networkDescriptionSchema = z.object({
  hasProxyLogin: z.boolean(),
  /** What the environment or else the system says, without passwords; absent for none. */
  systemProxy: z.string().optional(),
  /** Where that is said. */
  systemProxySource: z.enum(['environment', 'system']).optional(),
  /** Those that are trusted besides the system's. */
  certificates: z.array(certificateSummarySchema),
  limits: z.array(
    z.object({
      variable: z.string(),
      unit: z.enum(['bytes', 'tokens', 'calls', 'milliseconds']),
      explanation: z.string(),
      defaultValue: z.number(),
      /** The most it may be; absent for no end. */
      ceiling: z.number().optional(),
      value: z.number(),
      isSet: z.boolean(),
      /** Why what is set is not used. */
      ignored: z.string().optional(),
    }),
  ),
  /** Why runs with integrations are refused, when the limits cannot be as they are set. */
  limitsProblem: problemSchema.optional(),
});
export type NetworkDescription = z.infer<typeof networkDescriptionSchema>;

export const networkTestSchema = z.object({
  outcome: z.enum(['reached', 'failed']),
  /** Status of the answer, whatever it is: an answer is all that is wanted. */
  status: z.number().int().optional(),
  /** Proxy it went through, without its password; absent for none. */
  proxy: z.string().optional(),
  milliseconds: z.number().nonnegative(),
  problem: problemSchema.optional(),
});
export type NetworkTest = z.infer<typeof networkTestSchema>;

/** Requests about how the app reaches the internet; the choices themselves are settings. */
export const networkRoutes = {
  'network.describe': { input: nothing, output: networkDescriptionSchema },
  /** User and password of the author's proxy, which go into the vault; an empty user removes them. */
  'network.setProxyLogin': {
    input: z.object({ user: z.string().max(500), password: z.string().max(2_000) }),
    output: z.object({ hasLogin: z.boolean() }),
  },
  'network.addCertificates': {
    input: z.object({ pem: z.string().max(200_000) }),
    output: networkDescriptionSchema,
  },
  'network.removeCertificate': {
    input: z.object({ fingerprint: z.string().max(200) }),
    output: networkDescriptionSchema,
  },
  /** Reads an address once, as everything of the app would. */
  'network.test': {
    input: z.object({ url: z.url({ protocol: /^https?$/ }).max(2_000) }),
    output: networkTestSchema,
  },
} as const;
