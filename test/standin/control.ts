/** What a test may ask of this process, over Node's own channel to a child. */
export type ControlRequest = { readonly id: number; readonly source: string; readonly argument: unknown };
export type ControlMessage =
  | { readonly kind: 'ready'; readonly endpoint: string }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly message: string };
