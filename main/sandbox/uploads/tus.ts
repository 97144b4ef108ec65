import {
  failed,
  isSuccess,
  locationOf,
  UploadFailure,
  type Chunk,
  type Progress,
  type Send,
  type ServiceAnswer,
  type UploadRequest,
  type UploadSession,
} from './upload-protocol.ts';

const VERSION = { 'Tus-Resumable': '1.0.0' };

/** tus 1.0.0, with its creation and termination extensions. */
export class Tus implements UploadSession {
  readonly #request: UploadRequest;
  readonly #send: Send;
  readonly #metadata: string;
  #session: string | undefined;

  /** @throws UploadFailure for metadata the protocol cannot carry */
  constructor(request: UploadRequest, send: Send) {
    this.#request = request;
    this.#send = send;
    this.#metadata = Object.entries(request.metadata)
      .map(([key, value]) => {
        if (typeof value !== 'string' || !/^[!-+\--~]+$/.test(key)) {
          throw new UploadFailure(
            `metadata of tus are texts under keys without spaces and commas; ${JSON.stringify(key)} is not`,
          );
        }
        return value === '' ? key : `${key} ${Buffer.from(value, 'utf8').toString('base64')}`;
      })
      .join(',');
  }

  async begin(): Promise<void> {
    const { target, size } = this.#request;
    const answer = await this.#send({
      method: 'POST',
      target,
      headers: {
        ...VERSION,
        'Upload-Length': String(size),
        ...(this.#metadata !== '' && { 'Upload-Metadata': this.#metadata }),
      },
    });
    if (answer.status !== 201) throw failed('the upload could not be begun', answer);
    this.#session = locationOf(answer, target);
  }

  async send(chunk: Chunk): Promise<Progress> {
    const answer = await this.#send({
      method: 'PATCH',
      target: this.#session ?? '',
      headers: {
        ...VERSION,
        'Upload-Offset': String(chunk.start),
        'Content-Type': 'application/offset+octet-stream',
      },
      body: chunk.bytes,
    });
    return this.#progressOf(answer, `bytes from ${chunk.start} were not taken`);
  }

  async ask(): Promise<Progress> {
    const answer = await this.#send({ method: 'HEAD', target: this.#session ?? '', headers: VERSION });
    return this.#progressOf(answer, 'the service does not say how far it got');
  }

  async discard(): Promise<void> {
    if (this.#session === undefined) return;
    await this.#send({ method: 'DELETE', target: this.#session, headers: VERSION });
  }

  #progressOf(answer: ServiceAnswer, step: string): Progress {
    const offset = answer.headers['upload-offset'] ?? '';
    if (!isSuccess(answer) || !/^\d+$/.test(offset)) throw failed(step, answer);
    const received = Number(offset);
    return { received, ...(received === this.#request.size && { final: answer }) };
  }
}
