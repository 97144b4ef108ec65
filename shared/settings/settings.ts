import { z } from 'zod';

/** How requests leave the author's computer. */
export const networkSettingsSchema = z.object({
  /** `system` follows the proxy variables of the environment. */
  proxyMode: z.enum(['system', 'manual', 'none']),
  /** `http://host:port`; its user and password are kept in the vault. Empty for none. */
  proxyAddress: z
    .string()
    .max(500)
    .regex(
      /^$|^(https?:\/\/)?[^\s/@:]+(:\d{1,5})?\/?$/i,
      'must be like http://proxy.example.com:3128, without user and password',
    ),
  /** Hosts that are reached without it, as in NO_PROXY. */
  proxyExceptions: z.string().max(5_000),
  /** Certificates in PEM that are trusted besides the system's. */
  extraCertificates: z
    .string()
    .max(500_000)
    .regex(/^\s*$|-----BEGIN CERTIFICATE-----/, 'must hold certificates in PEM')
    .refine((text) => !text.includes('PRIVATE KEY'), 'must not hold a private key'),
});
export type NetworkSettings = z.infer<typeof networkSettingsSchema>;

/** The author's choices that are not secrets. */
export const settingsSchema = z.object({
  appearance: z.enum(['system', 'light', 'dark']),
  density: z.enum(['comfortable', 'compact']),
  enginePreference: z.enum(['automatic', 'docker', 'process']),
  /** The author agreed to run agents without isolation. */
  processConsent: z.boolean(),
  /** Use gVisor where the engine lists its runtime. */
  preferGvisor: z.boolean(),
  /** Keep one idle sidecar and sandbox ready for the next run. */
  warmPair: z.boolean(),
  /** Runs at the same time; further ones wait in the queue. */
  maxConcurrentRuns: z.number().int().min(1).max(16),
  network: networkSettingsSchema,
});
export type Settings = z.infer<typeof settingsSchema>;

export const DEFAULT_SETTINGS: Settings = {
  appearance: 'system',
  density: 'comfortable',
  enginePreference: 'automatic',
  processConsent: false,
  preferGvisor: false,
  warmPair: true,
  maxConcurrentRuns: 3,
  network: { proxyMode: 'system', proxyAddress: '', proxyExceptions: '', extraCertificates: '' },
};
