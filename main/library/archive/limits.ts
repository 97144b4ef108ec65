/** What an archive may cost to read. All of it is known from the directory, before anything is inflated. */
export interface ArchiveLimits {
  /** Bytes of the archive itself. */
  readonly archiveBytes: number;
  /** Bytes of all files, inflated. */
  readonly totalBytes: number;
  /** Bytes of one file, inflated. */
  readonly fileBytes: number;
  readonly entries: number;
  /** Folders within one another. */
  readonly depth: number;
}

const MEBIBYTE = 1024 * 1024;

/** Limits of a package, and of a bundle of packages (reference: afps, section 14, the wider column). */
export const ARCHIVE_LIMITS: ArchiveLimits = {
  archiveBytes: 50 * MEBIBYTE,
  totalBytes: 200 * MEBIBYTE,
  fileBytes: 20 * MEBIBYTE,
  entries: 10_000,
  depth: 16,
};

/** Bytes below which no ratio is suspicious: a megabyte of blanks is harmless. */
export const RATIO_FREE_BYTES = 4 * MEBIBYTE;
/** Inflated bytes for each byte in the archive. Text seldom gets beyond 20, deflate ends at 1032. */
export const MAX_RATIO = 200;
/** Bytes of a path in UTF-8. */
export const MAX_PATH_BYTES = 1024;
