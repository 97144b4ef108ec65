import { manifestFile, shownName, type NewPackage, type PackageText } from './new-package.ts';

const ENTRY_POINT = 'server/index.mjs';
const TOOL = { name: 'count_words', description: 'Counts the words of a text.' };

/** A server in plain Node without any dependency, so that it runs as it is. */
export function mcpServerFiles(identity: NewPackage): PackageText {
  const manifest = manifestFile('mcp-server', identity, {
    description: 'Counts the words of a text.',
    members: {
      manifest_version: '0.3',
      server: {
        type: 'node',
        entry_point: ENTRY_POINT,
        mcp_config: { command: 'node', args: [`\${__dirname}/${ENTRY_POINT}`], env: {} },
      },
      tools: [TOOL],
      user_config: {},
    },
  });
  return new Map([manifest, [ENTRY_POINT, serverText(identity)]]);
}

function serverText(identity: NewPackage): string {
  return `// An MCP server over standard input and output: one JSON-RPC message a line. Only answers may be
// written to standard output; write notes to standard error with console.error.

const server = { name: ${JSON.stringify(identity.name)}, title: ${JSON.stringify(shownName(identity))}, version: '0.1.0' };
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

// Add tools here, and name them under "tools" in manifest.json too.
const tools = {
  ${TOOL.name}: {
    description: ${JSON.stringify(TOOL.description)},
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', description: 'The text.' } },
      required: ['text'],
    },
    call({ text }) {
      if (typeof text !== 'string') throw new Error('Give the text as a string.');
      const words = text.split(/\\s+/).filter((word) => word !== '');
      return String(words.length);
    },
  },
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: VERSIONS.includes(protocolVersion) ? protocolVersion : VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: server,
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: Object.entries(tools).map(([name, { description, inputSchema }]) => ({ name, description, inputSchema })),
  }),
  'tools/call': async ({ name, arguments: input = {} }) => {
    if (!Object.hasOwn(tools, name)) throw Object.assign(new Error(\`There is no tool "\${name}".\`), { code: -32602 });
    try {
      return { content: [{ type: 'text', text: await tools[name].call(input) }] };
    } catch (error) {
      // The model reads this, and can try again.
      return { content: [{ type: 'text', text: error.message }], isError: true };
    }
  },
};

async function answer(message) {
  const { id, method, params = {} } = message;
  // A notification has no id and gets no answer.
  if (id === undefined || method === undefined) return undefined;
  if (!Object.hasOwn(methods, method)) {
    return { jsonrpc: '2.0', id, error: { code: -32601, message: \`There is no method "\${method}".\` } };
  }
  try {
    return { jsonrpc: '2.0', id, result: await methods[method](params) };
  } catch (error) {
    return { jsonrpc: '2.0', id, error: { code: error.code ?? -32603, message: error.message } };
  }
}

function write(message) {
  process.stdout.write(\`\${JSON.stringify(message)}\\n\`);
}

async function receive(line) {
  if (line.trim() === '') return;
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    write({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'This line is not JSON.' } });
    return;
  }
  const reply = await answer(message);
  if (reply !== undefined) write(reply);
}

// Not node:readline, which also breaks lines at characters that may stand inside a message.
let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) void receive(line);
});
`;
}
