/** A name that is not taken: the one that is wanted, else with a number before its ending. */
export function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  const { stem, extension } = splitExtension(wanted);
  let name = wanted;
  for (let count = 2; isTaken(name); count += 1) name = `${stem} (${count})${extension}`;
  return name;
}

/** A name's ending with its dot; nothing for a hidden file, and for what is too long to be one. */
export function splitExtension(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf('.');
  if (dot <= 0 || Buffer.byteLength(name.slice(dot)) > 20) return { stem: name, extension: '' };
  return { stem: name.slice(0, dot), extension: name.slice(dot) };
}
