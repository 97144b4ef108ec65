import { z } from 'zod';

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
};
