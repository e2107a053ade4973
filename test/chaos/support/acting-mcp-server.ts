/** A customer's MCP server with one tool that changes something: it asks the system at the URL in its argument to do it. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const [, , url] = process.argv;
const server = new McpServer({ name: 'acting', version: '1.0.0' });
server.registerTool('restart', { inputSchema: { what: z.string() } }, async ({ what }) => {
  await fetch(`${url}/api/v1/query_range`, { method: 'POST', body: new URLSearchParams({ query: what }) });
  return { content: [{ type: 'text', text: 'restarted' }] };
});
await server.connect(new StdioServerTransport());
