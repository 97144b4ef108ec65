/**
 * What the sidecar tells the sandbox program in MCP `_meta`. The sidecar alone writes these keys: it
 * strips them from anything that an outside server says.
 */

/** On a result of `output`, when `true`: it was accepted and the agent's loop ends. No other tool may. */
export const ENDS_LOOP_META_KEY = 'slipway/ends-loop';

/** On a tool in `tools/list`: where it comes from, `runtime` or `integration`. */
export const TOOL_SOURCE_META_KEY = 'slipway/tool-source';

/** On a call: what the sandbox program calls it, so that its progress can be told of. */
export const CALL_ID_META_KEY = 'slipway/call-id';

/** Bytes of one MCP request the sidecar takes (reference: sidecar, section 7.1). */
export const MAX_MCP_REQUEST_BYTES = 16 * 1024 * 1024;
