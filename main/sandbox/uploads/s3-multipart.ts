import {
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

/** S3's multipart uploads, and those of stores that speak like it. */
export class S3Multipart implements UploadSession {
  readonly #request: UploadRequest;
  readonly #send: Send;
  readonly #tags: string[] = [];
  #uploadId: string | undefined;

  /** @throws UploadFailure for metadata that are no headers */
  constructor(request: UploadRequest, send: Send) {
    const wrong = Object.entries(request.metadata).find(([, value]) => typeof value !== 'string');
    if (wrong) throw new UploadFailure(`metadata of s3-multipart are headers: ${wrong[0]} must be a text`);
    this.#request = request;
    this.#send = send;
  }

  async begin(): Promise<void> {
    const { target, metadata, sourceMimeType } = this.#request;
    const headers = metadata as Record<string, string>;
    const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
    const answer = await this.#send({
      method: 'POST',
      target: withQuery(target, 'uploads'),
      headers: {
        ...(sourceMimeType !== undefined && !hasType && { 'Content-Type': sourceMimeType }),
        ...headers,
      },
    });
    const uploadId = elementsOf(answer.body, 'UploadId')[0];
    if (!isSuccess(answer) || uploadId === undefined) throw failed('the upload could not be begun', answer);
    this.#uploadId = uploadId;
  }

  async send(chunk: Chunk): Promise<Progress> {
    const answer = await this.#send({
      method: 'PUT',
      target: this.#addressed(`partNumber=${chunk.number}`),
      body: chunk.bytes,
    });
    const { etag } = answer.headers;
    if (!isSuccess(answer)) throw failed(`part ${chunk.number} was not taken`, answer);
    if (etag === undefined) throw new UploadFailure(`part ${chunk.number} came back without an ETag`, answer);
    return this.#took(chunk, etag);
  }

  async ask(chunk: Chunk): Promise<Progress> {
    const answer = await this.#send({
      method: 'GET',
      target: this.#addressed(`part-number-marker=${chunk.number - 1}&max-parts=1`),
    });
    const [part = ''] = isSuccess(answer) ? elementsOf(answer.body, 'Part') : [];
    const isThere =
      elementsOf(part, 'PartNumber')[0] === String(chunk.number) &&
      elementsOf(part, 'Size')[0] === String(chunk.bytes.length);
    const tag = elementsOf(part, 'ETag')[0];
    // A part that is sent again takes the place of the one that may be there.
    return isThere && tag !== undefined ? this.#took(chunk, tag) : { received: chunk.start };
  }

  async finish(): Promise<ServiceAnswer> {
    const parts = this.#tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
    );
    const answer = await this.#send({
      method: 'POST',
      target: this.#addressed(),
      headers: { 'Content-Type': 'application/xml' },
      body: `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
    });
    // It begins to answer before it knows how it ends.
    if (!isSuccess(answer) || /<Error[\s>]/.test(answer.body)) {
      throw failed('the parts could not be put together', answer);
    }
    return answer;
  }

  async discard(): Promise<void> {
    if (this.#uploadId !== undefined) await this.#send({ method: 'DELETE', target: this.#addressed() });
  }

  #took({ number, start, bytes }: Chunk, tag: string): Progress {
    this.#tags[number - 1] = tag;
    return { received: start + bytes.length };
  }

  #addressed(query?: string): string {
    const id = `uploadId=${encodeURIComponent(this.#uploadId ?? '')}`;
    return withQuery(this.#request.target, query === undefined ? id : `${query}&${id}`);
  }
}

function withQuery(target: string, query: string): string {
  return `${target}${target.includes('?') ? '&' : '?'}${query}`;
}

/** Texts of elements in S3's flat answers, in order. */
function elementsOf(xml: string, name: string): string[] {
  const pattern = new RegExp(`<${name}(?:\\s[^>]*)?>([^]*?)</${name}>`, 'g');
  return [...xml.matchAll(pattern)].map(([, text = '']) =>
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#34;', '"')
      .replaceAll('&apos;', "'")
      .replaceAll('&amp;', '&'),
  );
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
