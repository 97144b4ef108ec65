const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/** Protocols that the runtime can drive (the page: Resumable uploads). */
export const UPLOAD_PROTOCOLS = ['google-resumable', 's3-multipart', 'tus', 'ms-resumable'] as const;
export type UploadProtocol = (typeof UPLOAD_PROTOCOLS)[number];

interface PartRules {
  readonly defaultBytes: number;
  /** Every part but the last has a multiple of this. */
  readonly multipleOf?: number;
  /** Every part but the last has at least this. */
  readonly least?: number;
  readonly most?: number;
  readonly mostParts?: number;
}

const RULES: Readonly<Record<UploadProtocol, PartRules>> = {
  'google-resumable': { defaultBytes: 8 * MEBIBYTE, multipleOf: 256 * KIBIBYTE },
  's3-multipart': { defaultBytes: 5 * MEBIBYTE, least: 5 * MEBIBYTE, mostParts: 10_000 },
  tus: { defaultBytes: 4 * MEBIBYTE },
  'ms-resumable': {
    defaultBytes: 16 * 320 * KIBIBYTE,
    multipleOf: 320 * KIBIBYTE,
    most: 60 * MEBIBYTE,
  },
};

export function isUploadProtocol(name: unknown): name is UploadProtocol {
  return UPLOAD_PROTOCOLS.some((protocol) => protocol === name);
}

/** The size of the parts a file is sent in, or why it cannot be the one asked for. */
export type PartSize =
  { readonly ok: true; readonly bytes: number } | { readonly ok: false; readonly error: string };

/**
 * Settles the size of parts before anything is sent (reference: sidecar, section 2.4).
 * @param wanted as the model gave it; the protocol's own when undefined
 * @param fileBytes at least 1
 * @param maxRequestBodyBytes what one request may carry
 */
export function partSizeFor(
  protocol: UploadProtocol,
  wanted: unknown,
  fileBytes: number,
  maxRequestBodyBytes: number,
): PartSize {
  const { defaultBytes, multipleOf, least, most, mostParts } = RULES[protocol];
  if (wanted !== undefined && (!Number.isSafeInteger(wanted) || (wanted as number) < 1)) {
    return refused('partSizeBytes must be a whole number of at least 1');
  }
  const asked = (wanted as number | undefined) ?? fittingDefault(RULES[protocol], maxRequestBodyBytes);
  const bytes = Math.min(asked, fileBytes);
  if (bytes < fileBytes) {
    if (multipleOf !== undefined && asked % multipleOf !== 0) {
      return refused(`partSizeBytes must be a multiple of ${multipleOf} for ${protocol}, not ${asked}`);
    }
    if (least !== undefined && asked < least) {
      return refused(`partSizeBytes must be at least ${least} for ${protocol}, not ${asked}`);
    }
    if (mostParts !== undefined && Math.ceil(fileBytes / asked) > mostParts) {
      return refused(`${protocol} takes at most ${mostParts} parts; make partSizeBytes larger`);
    }
  }
  if (most !== undefined && asked > most) {
    return refused(`partSizeBytes must be at most ${most} for ${protocol}, not ${asked}`);
  }
  if (bytes > maxRequestBodyBytes) {
    return refused(
      `a part of ${bytes} bytes is more than the ${maxRequestBodyBytes} one request may carry (SIDECAR_MAX_REQUEST_BODY_BYTES); make partSizeBytes smaller (the default is ${defaultBytes})`,
    );
  }
  return { ok: true, bytes };
}

/** The default, made smaller where the author's limits want it and the protocol allows it. */
function fittingDefault({ defaultBytes, multipleOf = 1, least = 1 }: PartRules, capacity: number): number {
  if (defaultBytes <= capacity) return defaultBytes;
  const smaller = Math.floor(capacity / multipleOf) * multipleOf;
  return smaller >= Math.max(least, multipleOf) ? smaller : defaultBytes;
}

function refused(error: string): PartSize {
  return { ok: false, error };
}
