/** The channels between preload and main. A renderer sees none of them. */
export const channels = {
  /** Renderer to main: one client frame. */
  clientFrame: 'slipway:client-frame',
  /** Main to renderer: a number, and one server frame. */
  serverFrame: 'slipway:server-frame',
  /** Renderer to main: the number of a server frame that was taken. */
  frameTaken: 'slipway:frame-taken',
  /** Renderer to main, answered: the path of a file that the person picked or dropped. */
  registerFile: 'slipway:register-file',
} as const;
