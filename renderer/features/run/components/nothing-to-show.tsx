/** One sentence in the place of a file's preview. */
export function NothingToShow({ text }: { readonly text: string }) {
  return <p className="px-5 py-6 text-center text-ink-faint">{text}</p>;
}
