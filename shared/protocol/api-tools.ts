/** What stands in the `_meta` of the tools that call a service, of calls of them, and of their results. */

/** On a tool: it is an `api_call`; `{ tool_key }` names it without its namespace. */
export const API_CALL_META_KEY = 'dev.appstrate/api-call';
/** On a tool: it is an `api_upload`; `{ tool_key, api_call_tool_key }` names it and the call it goes through. */
export const API_UPLOAD_META_KEY = 'dev.appstrate/api-upload';
/** On both: `{ maxRequestBodyBytes, maxMcpEnvelopeBytes }`, which the sandbox keeps to as well. */
export const CALL_LIMITS_META_KEY = 'slipway/call-limits';
/** On every result of `api_call`: `{ status, headers, finalUrl? }`. */
export const UPSTREAM_META_KEY = 'dev.appstrate/upstream';
/** On a result with text: what was decided for it. */
export const TOKEN_BUDGET_META_KEY = 'dev.appstrate/token-budget';
/** On a failure of the shared vocabulary: its code. */
export const CALL_ERROR_META_KEY = 'dev.appstrate/api-call-error';

/**
 * On a call by the sandbox program, `{ body, credential, bodyId }`: `body: "stored"` has the body stored whatever its
 * size, for a file; `"whole"` has a small one given at once, for an upload. `credential: "none"` leaves the
 * credential out, for addresses that carry their own. `bodyId` names a body that was put to {@link BODY_PATH}
 * before. The model cannot write it.
 */
export const CALL_OPTIONS_META_KEY = 'slipway/call';

/** Address of a stored result: `appstrate://api-response/<run>/<id>`. */
export const RESOURCE_SCHEME = 'appstrate:';
export const RESOURCE_PREFIX = 'appstrate://api-response/';
/** Where the sidecar's socket serves the bytes of a stored result, under its id. */
export const RESOURCE_PATH = '/resources/';
/** Where the sidecar's socket takes the bytes of a body, under an id of the sandbox's choice. */
export const BODY_PATH = '/bodies/';

/** Keys that only the sidecar itself writes: whatever an outside server says in them is dropped. */
export const RESERVED_META_KEYS: readonly string[] = [
  API_CALL_META_KEY,
  API_UPLOAD_META_KEY,
  UPSTREAM_META_KEY,
  TOKEN_BUDGET_META_KEY,
  CALL_ERROR_META_KEY,
  'dev.appstrate/events',
];
