/** Bytes in a line of a dump. */
const LINE_BYTES = 16;

/** The bytes of a file as `hexdump -C` shows them: offset, values, and what of it is ASCII. */
export function hexLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let offset = 0; offset < bytes.length; offset += LINE_BYTES) {
    const line = [...bytes.subarray(offset, offset + LINE_BYTES)];
    const values = line.map((byte) => byte.toString(16).padStart(2, '0'));
    const halves = `${values.slice(0, 8).join(' ')}  ${values.slice(8).join(' ')}`;
    const shown = line
      .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'))
      .join('');
    lines.push(`${offset.toString(16).padStart(8, '0')}  ${halves.padEnd(48)}  ${shown}`);
  }
  return lines.join('\n');
}
