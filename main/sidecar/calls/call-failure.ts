import type { CallFailureCode } from '#shared/tools/call-failure.ts';

/**
 * The sidecar's own answer in the place of a service's: the call was refused, or failed on its way. The
 * message is for the model and holds no secret.
 */
export class CallFailure extends Error {
  /** Absent for what the shared vocabulary does not name, such as wrong arguments. */
  readonly code: CallFailureCode | undefined;
  /** Particulars for programs. */
  readonly structured: Readonly<Record<string, unknown>> | undefined;

  constructor(
    message: string,
    options: {
      code?: CallFailureCode;
      structured?: Readonly<Record<string, unknown>>;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.structured = options.structured;
  }
}
