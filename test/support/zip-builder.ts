import { crc32, deflateRawSync } from 'node:zlib';

/** One entry, each part of which may be made to lie. */
export interface EntrySpec {
  readonly name: string | Buffer;
  readonly content?: Buffer | string;
  readonly method?: number;
  readonly flags?: number;
  readonly madeBy?: number;
  readonly attributes?: number;
  readonly extra?: Buffer;
  /** Bytes as stored, in the place of what compressing the content gives. */
  readonly stored?: Buffer;
  readonly size?: number;
  readonly compressedSize?: number;
  readonly crc?: number;
  /** What the header before the content says, where it differs from the directory. */
  readonly local?: Partial<Pick<EntrySpec, 'name' | 'method' | 'flags' | 'size' | 'compressedSize' | 'crc'>>;
  /** A descriptor after the content, as streaming writers leave it. */
  readonly descriptor?: 'signed' | 'plain' | 'wrong';
  /** Bytes after the content that belong to nothing. */
  readonly gap?: Buffer;
  /** Place of the local header, in the place of where it is. */
  readonly offset?: number;
  /** Leaves the entry out of the directory. */
  readonly isHidden?: boolean;
}

export interface ZipSpec {
  readonly prefix?: Buffer;
  readonly comment?: Buffer;
  readonly trailing?: Buffer;
  readonly entryCount?: number;
  readonly directorySize?: number;
  readonly directoryOffset?: number;
  /** Puts ZIP64 end records before the ordinary one. */
  readonly isZip64?: boolean;
}

interface Fields {
  readonly name: Buffer;
  readonly method: number;
  readonly flags: number;
  readonly size: number;
  readonly compressedSize: number;
  readonly crc: number;
}

/** Makes a ZIP archive byte by byte, so that a test can make one that no writer would. */
export function buildZip(entries: readonly EntrySpec[], zip: ZipSpec = {}): Buffer {
  const parts: Buffer[] = [zip.prefix ?? Buffer.alloc(0)];
  const records: Buffer[] = [];
  let position = parts[0]?.length ?? 0;
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? '');
    const method = entry.method ?? 8;
    const stored = entry.stored ?? (method === 8 ? deflateRawSync(content) : content);
    const fields: Fields = {
      name: Buffer.from(entry.name),
      method,
      flags: (entry.flags ?? 0x800) | (entry.descriptor === undefined ? 0 : 8),
      size: entry.size ?? content.length,
      compressedSize: entry.compressedSize ?? stored.length,
      crc: entry.crc ?? crc32(content),
    };
    const streamed = entry.descriptor === undefined ? {} : { size: 0, compressedSize: 0, crc: 0 };
    const name = Buffer.from(entry.local?.name ?? fields.name);
    const local = localHeader({ ...fields, ...streamed, ...entry.local, name });
    const block = Buffer.concat([local, stored, descriptor(entry, fields), entry.gap ?? Buffer.alloc(0)]);
    if (entry.isHidden !== true) records.push(record(entry, fields, entry.offset ?? position));
    parts.push(block);
    position += block.length;
  }
  const directory = Buffer.concat(records);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(zip.entryCount ?? records.length, 8);
  end.writeUInt16LE(zip.entryCount ?? records.length, 10);
  end.writeUInt32LE(zip.directorySize ?? directory.length, 12);
  end.writeUInt32LE(zip.directoryOffset ?? position, 16);
  end.writeUInt16LE(zip.comment?.length ?? 0, 20);
  const zip64 =
    zip.isZip64 === true ? zip64Records(records.length, directory.length, position) : Buffer.alloc(0);
  return Buffer.concat([
    ...parts,
    directory,
    zip64,
    end,
    zip.comment ?? Buffer.alloc(0),
    zip.trailing ?? Buffer.alloc(0),
  ]);
}

function localHeader(fields: Fields): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(fields.flags, 6);
  header.writeUInt16LE(fields.method, 8);
  header.writeUInt32LE(fields.crc, 14);
  header.writeUInt32LE(fields.compressedSize, 18);
  header.writeUInt32LE(fields.size, 22);
  header.writeUInt16LE(fields.name.length, 26);
  return Buffer.concat([header, fields.name]);
}

function record(entry: EntrySpec, fields: Fields, offset: number): Buffer {
  const extra = entry.extra ?? Buffer.alloc(0);
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(entry.madeBy ?? 0x0314, 4);
  header.writeUInt16LE(20, 6);
  header.writeUInt16LE(fields.flags, 8);
  header.writeUInt16LE(fields.method, 10);
  header.writeUInt32LE(fields.crc, 16);
  header.writeUInt32LE(fields.compressedSize, 20);
  header.writeUInt32LE(fields.size, 24);
  header.writeUInt16LE(fields.name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(entry.attributes ?? 0, 38);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, fields.name, extra]);
}

function descriptor(entry: EntrySpec, { crc, compressedSize, size }: Fields): Buffer {
  if (entry.descriptor === undefined) return Buffer.alloc(0);
  const values = Buffer.alloc(12);
  values.writeUInt32LE(entry.descriptor === 'wrong' ? 0 : crc, 0);
  values.writeUInt32LE(compressedSize, 4);
  values.writeUInt32LE(size, 8);
  return entry.descriptor === 'plain' ? values : Buffer.concat([Buffer.from('PK\x07\x08', 'latin1'), values]);
}

function zip64Records(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(56);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(44n, 4);
  end.writeBigUInt64LE(BigInt(count), 24);
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(size), 40);
  end.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + size), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([end, locator]);
}

/** An extra field of a directory entry. */
export function extraField(id: number, data: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(data.length, 2);
  return Buffer.concat([head, data]);
}
