/** Gives a text to the person as a file, in a browser. */
export function downloadText(text: string, fileName: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/jsonl' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The browser has taken it by the time that anything else happens.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
