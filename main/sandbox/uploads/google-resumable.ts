import {
  contentRange,
  failed,
  isSuccess,
  locationOf,
  type Chunk,
  type Progress,
  type Send,
  type ServiceAnswer,
  type UploadRequest,
  type UploadSession,
} from './upload-protocol.ts';

/** Google's resumable uploads: Drive, Cloud Storage, YouTube. */
export class GoogleResumable implements UploadSession {
  readonly #request: UploadRequest;
  readonly #send: Send;
  #session: string | undefined;

  constructor(request: UploadRequest, send: Send) {
    this.#request = request;
    this.#send = send;
  }

  async begin(): Promise<void> {
    const { target, size, metadata } = this.#request;
    const type = this.#sourceType();
    const answer = await this.#send({
      method: 'POST',
      target,
      headers: {
        'Content-Type': 'application/json; charset=UTF-8',
        'X-Upload-Content-Length': String(size),
        ...(type !== undefined && { 'X-Upload-Content-Type': type }),
      },
      body: JSON.stringify(metadata),
    });
    if (!isSuccess(answer)) throw failed('the upload could not be begun', answer);
    this.#session = locationOf(answer, target);
  }

  async send(chunk: Chunk): Promise<Progress> {
    const answer = await this.#send({
      method: 'PUT',
      target: this.#session ?? '',
      headers: { 'Content-Range': contentRange(chunk, this.#request.size) },
      body: chunk.bytes,
    });
    return this.#progressOf(answer, `bytes from ${chunk.start} were not taken`);
  }

  async ask(): Promise<Progress> {
    const answer = await this.#send({
      method: 'PUT',
      target: this.#session ?? '',
      headers: { 'Content-Range': `bytes */${this.#request.size}` },
    });
    return this.#progressOf(answer, 'the service does not say how far it got');
  }

  async discard(): Promise<void> {
    if (this.#session !== undefined) await this.#send({ method: 'DELETE', target: this.#session });
  }

  #progressOf(answer: ServiceAnswer, step: string): Progress {
    if (answer.status === 200 || answer.status === 201) {
      return { received: this.#request.size, final: answer };
    }
    if (answer.status !== 308) throw failed(step, answer);
    // Without a range it has kept nothing.
    const last = /^bytes=0-(\d+)$/.exec(answer.headers['range'] ?? '')?.[1];
    return { received: last === undefined ? 0 : Number(last) + 1 };
  }

  /** The target type of a conversion is no type of the bytes that are sent. */
  #sourceType(): string | undefined {
    const { sourceMimeType, metadata } = this.#request;
    const wanted = sourceMimeType ?? metadata['mimeType'];
    if (typeof wanted !== 'string') return undefined;
    return sourceMimeType === undefined && wanted.startsWith('application/vnd.google-apps.')
      ? undefined
      : wanted;
  }
}
