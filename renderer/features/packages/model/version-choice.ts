import { cleanVersion, compareVersions, isHigherVersion, nextVersion } from '#shared/manifest/identity.ts';

export interface VersionChoice {
  readonly version: string;
  /** What taking it says to those who use the package. */
  readonly meaning: string;
}

const STEPS = [
  { step: 'patch', meaning: 'mends something; nothing else changes' },
  { step: 'minor', meaning: 'adds something; what was there still works' },
  { step: 'major', meaning: 'changes what others may rely on' },
] as const;

/** Versions a draft may be published as, each with its meaning; the first is proposed. */
export function versionChoices(
  nextVersions: readonly string[],
  highest: string | undefined,
): VersionChoice[] {
  return nextVersions.map((version) => {
    const step = highest && STEPS.find((known) => nextVersion(highest, known.step) === version);
    if (step) return { version, meaning: `${step.step}: ${step.meaning}` };
    return { version, meaning: highest ? 'as its manifest says' : 'the first version, as its manifest says' };
  });
}

/**
 * The version to propose: the one that the change asks for, or the manifest's own where that goes further.
 * Until the change is known, the first of the choices.
 */
export function proposedVersion(
  nextVersions: readonly string[],
  highest: string | undefined,
  step: 'patch' | 'minor' | 'major' | undefined,
): string | undefined {
  const [first] = nextVersions;
  if (first === undefined || highest === undefined || step === undefined) return first;
  const asked = nextVersion(highest, step);
  return isHigherVersion(asked, first) ? asked : first;
}

/** Why a draft cannot become this version; undefined when it can. Versions only go forward. */
export function refuseVersion(text: string, existing: readonly string[]): string | undefined {
  const version = cleanVersion(text);
  if (version === undefined) return 'A version is three numbers, such as 1.4.0, perhaps with -beta.1 behind.';
  if (existing.includes(version)) return `${version} exists already, and a version never changes.`;
  const highest = highestOf(existing);
  if (highest !== undefined && !isHigherVersion(version, highest))
    return `Versions only go forward, and ${highest} is published. Choose a higher one.`;
  return undefined;
}

/** The highest of some versions. */
export function highestOf(versions: readonly string[]): string | undefined {
  return [...versions].sort(compareVersions).at(-1);
}
