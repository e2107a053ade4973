/** A program with a confined MCP server that leaves children behind. Prints what the server writes to its standard error. */
import { fileURLToPath } from 'node:url';
import { openMcp } from '@casebook/mcp';

const note = (): void => undefined;
const debug = (fields: object): void => void process.stdout.write(`${'line' in fields ? String(fields.line) : ''}\n`);

await openMcp(
  {
    name: 'owned',
    transport: 'stdio',
    command: process.execPath,
    args: [fileURLToPath(new URL('mcp-hostile.ts', import.meta.url)), 'leaves-children'],
    env: {},
    confine: {},
  },
  { log: { debug, info: note, warn: note }, client: { name: 'owner', version: '0' } },
);
