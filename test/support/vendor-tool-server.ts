/**
 * The program of a vendor's tool server, as `npm install --prefix` would put it: it says what it was started with, and
 * announces arguments and annotations as Azure's does.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

/** Installs it under a vendor's name and version. */
export async function installToolServer(folder: string, name: string, version: string): Promise<void> {
  const modules = join(folder, 'node_modules', name);
  await mkdir(modules, { recursive: true });
  await writeFile(join(modules, 'package.json'), JSON.stringify({ name, version, bin: 'serve.mjs' }));
  const program = pathToFileURL(import.meta.filename).href;
  await writeFile(join(modules, 'serve.mjs'), `const { serve } = await import('${program}');\nawait serve();\n`);
}

const string = { type: 'string' };
const readOnly = { annotations: { readOnlyHint: true } };
const noInput = { type: 'object' as const };

/** What `metrics_query` answers. */
export interface Started {
  pid: number;
  input: Record<string, unknown>;
  arguments: string[];
  environment: Record<string, string>;
  /** Google's application default credentials. */
  credentials?: unknown;
}

/** @param way exits by default */
async function endBadly(way: unknown): Promise<never> {
  if (way === undefined) process.exit(3);
  if (way === 'garbage') process.stdout.write(`${'not JSON '.repeat(100)}\n`);
  if (way === 'flood') for (;;) await new Promise((written) => process.stdout.write('x'.repeat(1_000_000), written));
  // It never answers.
  return new Promise(() => undefined);
}

export async function serve(): Promise<void> {
  const server = new Server({ name: 'vendor', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: [
      {
        name: 'metrics_query',
        ...readOnly,
        inputSchema: {
          type: 'object',
          properties: { tenant: string, subscription: string, 'retry-mode': string, resource: string },
          required: ['resource', 'subscription'],
        },
      },
      { name: 'learn', ...readOnly, inputSchema: noInput },
      { name: 'exit', ...readOnly, inputSchema: noInput },
      { name: 'say', ...readOnly, inputSchema: { type: 'object', properties: { text: string } } },
      { name: 'change', inputSchema: noInput },
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: input = {} } }) => {
    if (name === 'exit') return endBadly(input['way']);
    if (name === 'say') return { content: [{ type: 'text', text: String(input['text']) }] };
    const adc = join(process.env['HOME']!, '.config/gcloud/application_default_credentials.json');
    const started: Started = {
      pid: process.pid,
      input,
      arguments: process.argv.slice(2),
      environment: process.env as Record<string, string>,
      credentials: await readFile(adc, 'utf8').then(JSON.parse, () => undefined),
    };
    return { content: [{ type: 'text', text: JSON.stringify(started) }] };
  });
  await server.connect(new StdioServerTransport());
}
