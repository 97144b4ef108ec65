import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { startMcpPeer } from '#test/peers/mcp-server.ts';

/** The MCP server that the benchmark of calls speaks to, in a process of its own; tells its port to its parent. */

const TEXT = 'x'.repeat(1000);

const peer = await startMcpPeer({
  kind: 'sessions',
  create() {
    const server = new Server({ name: 'bench', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [{ name: 'read', inputSchema: { type: 'object' as const } }],
    }));
    server.setRequestHandler(CallToolRequestSchema, () => ({ content: [{ type: 'text', text: TEXT }] }));
    return server;
  },
});
process.send?.(peer.port);
process.once('disconnect', () => process.exit(0));
