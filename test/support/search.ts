import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

/** What to look for: by a name, each in the forms in which it could have been written down. */
export type Needles = Readonly<Record<string, readonly Buffer[]>>;

/** A text as it is, in base64 at each of the three ways it can fall, and in hexadecimal. */
export function formsOf(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const encoded = [0, 1, 2].map((shift) => {
    const whole = Math.floor((bytes.length - shift) / 3) * 3;
    return Buffer.from(bytes.subarray(shift, shift + whole).toString('base64'));
  });
  return [bytes, ...encoded, Buffer.from(bytes.toString('hex'))];
}

/** Names of what is in a stream, also across two of its pieces. Reads it to its end. */
export async function search(content: Readable, needles: Needles): Promise<string[]> {
  const lengths = Object.values(needles).flatMap((forms) => forms.map(({ length }) => length));
  const overlap = Math.max(...lengths) - 1;
  const found = new Set<string>();
  let tail = Buffer.alloc(0);
  for await (const chunk of content) {
    const piece = Buffer.concat([tail, chunk as Buffer]);
    for (const [name, forms] of Object.entries(needles))
      if (!found.has(name) && forms.some((form) => piece.includes(form))) found.add(name);
    tail = piece.subarray(-overlap);
  }
  return [...found].toSorted();
}

export function searchText(text: string, needles: Needles): Promise<string[]> {
  return search(Readable.from([Buffer.from(text)]), needles);
}

/** Names of what is in the files under a folder, and the number of files. */
export async function searchFolder(
  folder: string,
  needles: Needles,
): Promise<{ found: string[]; files: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found = new Set<string>();
  let searched = 0;
  for (const file of files) {
    try {
      for (const name of await search(createReadStream(file), needles)) found.add(name);
      searched += 1;
    } catch (error) {
      // The app goes on meanwhile: locks and parts of files come and go.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return { found: [...found].toSorted(), files: searched };
}
