/** A request of an upload, which goes through the `api_call` beside it. */
export interface ServiceRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** Leaves the credential out: the address carries its own. */
  readonly isAnonymous?: boolean;
}

/** What came back of it; status 0 when the sidecar answered itself. */
export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The response, or why there is none. */
  readonly body: string;
  /** Whether the sidecar's refusal could be of another kind a moment later. */
  readonly isTransient: boolean;
}

/** Sends one request of an upload. Throws only when the upload was cancelled. */
export type Send = (request: ServiceRequest) => Promise<ServiceAnswer>;

export interface UploadRequest {
  readonly target: string;
  readonly size: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly sourceMimeType: string | undefined;
}

/** One chunk, or what of it is still to be sent. */
export interface Chunk {
  readonly bytes: Buffer;
  /** Place of its first byte in the file. */
  readonly start: number;
  /** Counted from 1 over the whole upload. */
  readonly number: number;
  readonly isLast: boolean;
}

/** How far the service says it has got. */
export interface Progress {
  /** Bytes from the start of the file that it has. */
  readonly received: number;
  /** The answer that ended the upload. */
  readonly final?: ServiceAnswer;
}

/** A step of an upload failed. */
export class UploadFailure extends Error {
  readonly answer: ServiceAnswer | undefined;

  constructor(message: string, answer?: ServiceAnswer) {
    super(message);
    this.answer = answer;
  }

  /** Whether the same request may succeed later. */
  get isTransient(): boolean {
    const { answer } = this;
    if (answer === undefined) return false;
    const { status } = answer;
    return status === 0 ? answer.isTransient : status === 408 || status === 429 || status >= 500;
  }
}

/** One upload in one of the protocols. Steps are asked for one after another. */
export interface UploadSession {
  /** Announces the file. @throws UploadFailure */
  begin(): Promise<void>;
  /** Sends a chunk. @throws UploadFailure */
  send(chunk: Chunk): Promise<Progress>;
  /** Asks the service how far it got, after a chunk failed. @throws UploadFailure */
  ask(chunk: Chunk): Promise<Progress>;
  /** Puts the parts together, where that is a step of its own. @throws UploadFailure */
  finish?(): Promise<ServiceAnswer>;
  /** Has the service discard what it has. */
  discard(): Promise<void>;
}

/** What a failed step says; the service's own words are in the answer's body. */
export function failed(step: string, answer: ServiceAnswer): UploadFailure {
  const what = answer.status === 0 ? answer.body : `the service answered ${answer.status}`;
  return new UploadFailure(`${step}: ${what}`, answer);
}

export function isSuccess({ status }: ServiceAnswer): boolean {
  return status >= 200 && status < 300;
}

/** Where a `Location` leads, which may be relative. @throws UploadFailure when there is none */
export function locationOf(answer: ServiceAnswer, target: string): string {
  const { location } = answer.headers;
  const url = location === undefined ? null : URL.parse(location, target);
  if (url === null) throw new UploadFailure('the service named no address to upload to', answer);
  return url.href;
}

/** `bytes start-end/total` */
export function contentRange({ start, bytes }: Chunk, total: number): string {
  return `bytes ${start}-${start + bytes.length - 1}/${total}`;
}
