/** Whether a provider's error answer means that it does not take the key. Google says so with 400. */
export function isKeyRefusal(status: number, text: string): boolean {
  return status === 401 || status === 403 || (status === 400 && /api[ _-]?key/i.test(text));
}
