/** Bytes of an id that is worth answering. */
const MAX_ID_BYTES = 256;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;

/**
 * Finds the `id` of a JSON object as its bytes go by, wherever among the members it stands, without keeping
 * them: a message that is too long to be read can so still be answered.
 */
export class TopLevelId {
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** Bytes of the member's name or value at the top level that is being read. */
  #token: number[] = [];
  #isIdNext = false;
  #id: string | undefined;

  /** The id as it stands in the JSON. */
  get id(): string | undefined {
    return this.#id;
  }

  push(bytes: Uint8Array): void {
    for (const byte of bytes) this.#read(byte);
  }

  #read(byte: number): void {
    if (this.#isInText) {
      this.#keep(byte);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInText = false;
      return;
    }
    switch (byte) {
      case QUOTE:
        this.#isInText = true;
        this.#keep(byte);
        return;
      case 0x7b:
      case 0x5b:
        this.#depth += 1;
        this.#token = [];
        return;
      case 0x7d:
      case 0x5d:
        if (this.#depth === 1) this.#endMember();
        this.#depth -= 1;
        return;
      case COLON:
        if (this.#depth !== 1) return;
        this.#isIdNext = this.#text() === '"id"';
        this.#token = [];
        return;
      case COMMA:
        if (this.#depth === 1) this.#endMember();
        return;
      default:
        if (byte > 0x20) this.#keep(byte);
    }
  }

  #keep(byte: number): void {
    if (this.#depth === 1 && this.#token.length <= MAX_ID_BYTES) this.#token.push(byte);
  }

  #endMember(): void {
    const text = this.#text();
    if (this.#isIdNext && /^(?:-?\d+|".*")$/s.test(text) && text.length <= MAX_ID_BYTES) this.#id = text;
    this.#isIdNext = false;
    this.#token = [];
  }

  #text(): string {
    return Buffer.from(this.#token).toString('utf8');
  }
}
