import { z } from 'zod';

/** A certificate that is trusted, as a person knows it. */
export const certificateSummarySchema = z.object({
  /** SHA-256, in pairs of hex digits. */
  fingerprint: z.string(),
  subject: z.string(),
  issuer: z.string(),
  /** Milliseconds. */
  validFrom: z.number(),
  validTo: z.number(),
  /** Whether it vouches for others, and not only for itself. */
  isAuthority: z.boolean(),
});
export type CertificateSummary = z.infer<typeof certificateSummarySchema>;
