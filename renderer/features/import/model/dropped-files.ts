/** A file that was given, with its path in the folder it came with. */
export interface GivenFile {
  readonly file: File;
  readonly path: string;
}

/** Folders that are no part of any package. */
const LEFT_OUT = new Set(['.git', '__MACOSX']);
/** More than one import may hold; what is beyond is main's to refuse, not this page's to read. */
const MAX_FILES = 10_000;

/** Whether something that is dragged holds files. */
export function holdsFiles(transfer: DataTransfer | null): transfer is DataTransfer {
  return transfer?.types.includes('Files') ?? false;
}

/**
 * The files of a drop, those in dropped folders with their paths. The drop's own list is read before the
 * first wait, since it is empty afterwards.
 */
export async function droppedFiles(transfer: DataTransfer): Promise<GivenFile[]> {
  const plain = [...transfer.files].map((file) => ({ file, path: file.name }));
  const entries = [...transfer.items].map((item) => (item.kind === 'file' ? item.webkitGetAsEntry() : null));
  const folders = entries.filter((entry) => entry?.isDirectory);
  if (folders.length === 0) return plain;
  const given: GivenFile[] = [];
  for (const entry of entries) if (entry) await collect(entry, given);
  return given;
}

/** The files of a folder that was picked. */
export function pickedFiles(files: Iterable<File>): GivenFile[] {
  return [...files]
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }))
    .filter(({ path }) => !path.split('/').some((step) => LEFT_OUT.has(step)))
    .slice(0, MAX_FILES);
}

async function collect(entry: FileSystemEntry, given: GivenFile[]): Promise<void> {
  if (LEFT_OUT.has(entry.name) || given.length >= MAX_FILES) return;
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    given.push({ file, path: entry.fullPath.replace(/^\//, '') });
    return;
  }
  if (!isDirectory(entry)) return;
  for (const child of await childrenOf(entry)) await collect(child, given);
}

/** A reader gives a part of a folder at a time, and nothing at its end. */
async function childrenOf(entry: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = entry.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return children;
    children.push(...part);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
