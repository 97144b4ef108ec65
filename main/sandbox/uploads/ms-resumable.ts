import { z } from 'zod';
import {
  contentRange,
  failed,
  isSuccess,
  UploadFailure,
  type Chunk,
  type Progress,
  type Send,
  type ServiceAnswer,
  type UploadRequest,
  type UploadSession,
} from './upload-protocol.ts';

const sessionSchema = z.object({ uploadUrl: z.string() });
const statusSchema = z.object({ nextExpectedRanges: z.array(z.string()).min(1) });

/**
 * Microsoft Graph's upload sessions: OneDrive, SharePoint. The session's address authorises by itself, and
 * the service may refuse a request to it that carries a token as well.
 */
export class MicrosoftResumable implements UploadSession {
  readonly #request: UploadRequest;
  readonly #send: Send;
  #session: string | undefined;

  constructor(request: UploadRequest, send: Send) {
    this.#request = request;
    this.#send = send;
  }

  async begin(): Promise<void> {
    const { target, metadata } = this.#request;
    const answer = await this.#send({
      method: 'POST',
      target,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(Object.keys(metadata).length > 0 ? metadata : { item: {} }),
    });
    if (!isSuccess(answer)) throw failed('the upload could not be begun', answer);
    const session = sessionSchema.safeParse(jsonOf(answer.body)).data;
    if (session === undefined) throw new UploadFailure('the service named no address to upload to', answer);
    this.#session = session.uploadUrl;
  }

  async send(chunk: Chunk): Promise<Progress> {
    const answer = await this.#send({
      method: 'PUT',
      target: this.#session ?? '',
      headers: { 'Content-Range': contentRange(chunk, this.#request.size) },
      body: chunk.bytes,
      isAnonymous: true,
    });
    if (answer.status === 200 || answer.status === 201) {
      return { received: this.#request.size, final: answer };
    }
    if (answer.status !== 202) throw failed(`bytes from ${chunk.start} were not taken`, answer);
    return { received: expectedOf(answer) ?? chunk.start + chunk.bytes.length };
  }

  async ask(): Promise<Progress> {
    const answer = await this.#send({ method: 'GET', target: this.#session ?? '', isAnonymous: true });
    const received = isSuccess(answer) ? expectedOf(answer) : undefined;
    if (received === undefined) throw failed('the service does not say how far it got', answer);
    return { received };
  }

  async discard(): Promise<void> {
    if (this.#session === undefined) return;
    await this.#send({ method: 'DELETE', target: this.#session, isAnonymous: true });
  }
}

/** Where the first range begins that the service still wants, as in `["26-", "40-50"]`. */
function expectedOf({ body }: ServiceAnswer): number | undefined {
  const [first] = statusSchema.safeParse(jsonOf(body)).data?.nextExpectedRanges ?? [];
  const start = /^(\d+)-\d*$/.exec(first ?? '')?.[1];
  return start === undefined ? undefined : Number(start);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
