/** Paths inside the containers. The process engine maps them to folders of its own. */
export const WORKSPACE_PATH = '/workspace';
/** Bytes an agent may write into its workspace (reference: sidecar, section 7.4). */
export const WORKSPACE_BYTES = 512 * 1024 * 1024;
/** Where a run's input files are put, under the workspace. */
export const DOCUMENTS_FOLDER = 'documents';
/** Where an agent leaves what it made, under the workspace. */
export const OUTPUTS_FOLDER = 'outputs';
/** Where results go that are too large for the conversation, under the workspace. */
export const RESOURCES_FOLDER = 'resources';
/** Where skills are put, under the workspace. */
export const SKILLS_FOLDER = '.pi/skills';
/** Where the notes of integrations are put, under the workspace. */
export const INTEGRATION_NOTES_FOLDER = '.pi/integrations';
/** Mount point of the volume that holds only the sidecar's socket. */
export const SOCKET_FOLDER = '/run/slipway';
export const SOCKET_PATH = '/run/slipway/sidecar.sock';
/** Owner of the workspace and user of the sandbox program. */
export const SANDBOX_USER_ID = 1000;
/** User of the sidecar program: another one, so that neither reads the other's files. */
export const SIDECAR_USER_ID = 1001;
/** User of local MCP servers, which are nobody's friends. */
export const RUNNER_USER_ID = 1002;
/** Where a local MCP server finds its bundle. */
export const BUNDLE_PATH = '/bundle';
/** Mount point of the volume that holds only the socket of the sidecar's proxy, for local MCP servers. */
export const EGRESS_FOLDER = '/run/slipway-egress';
export const EGRESS_SOCKET_PATH = `${EGRESS_FOLDER}/proxy.sock`;
/** Home of a local MCP server: in memory, gone with its container. */
export const RUNNER_HOME = '/home/runner';
