/**
 * An MCP server that means harm, or is broken: a program that speaks over standard input and output. Its one argument
 * says which way.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [, , way = ''] = process.argv;
const MEGABYTE = 1024 * 1024;

const ODD_NAMES = [
  'ünï cödé',
  '../../etc/passwd',
  '"; DROP TABLE tools; --',
  '\u0000\u001B[31m',
  '__proto__',
  'x'.repeat(500),
  '',
  7,
];

function refBomb(): Record<string, unknown> {
  const $defs: Record<string, unknown> = { a0: { type: 'string' } };
  for (let n = 1; n <= 60; n += 1) {
    $defs[`a${n}`] = { type: 'array', items: [{ $ref: `#/$defs/a${n - 1}` }, { $ref: `#/$defs/a${n - 1}` }] };
  }
  return { type: 'object', properties: { bomb: { $ref: '#/$defs/a60' }, self: { $ref: '#' } }, $defs };
}

function write(message: unknown): void {
  process.stdout.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
}

function list(cursor: string | undefined): unknown {
  const inputSchema = { type: 'object' };
  switch (way) {
    case 'many-tools':
      return { tools: Array.from({ length: 100_000 }, (_, n) => ({ name: `tool-${n}`, inputSchema })) };
    case 'endless-pages': {
      const page = Number(cursor ?? 0);
      return { tools: [{ name: `tool-${page}`, inputSchema }], nextCursor: String(page + 1) };
    }
    case 'odd-names':
      return { tools: [...ODD_NAMES.map((name) => ({ name, inputSchema })), null, 'tool', { title: 'nameless' }] };
    case 'bombs':
      return {
        tools: [
          { name: 'ref-bomb', inputSchema: refBomb(), outputSchema: refBomb(), description: 'd'.repeat(100_000) },
          { name: 'large', inputSchema: { type: 'object', description: 'x'.repeat(MEGABYTE) } },
          { name: 'invalid', inputSchema: { type: 'nonsense', pattern: '((((' }, outputSchema: { type: 'nonsense' } },
          { name: 'none', annotations: 'none', title: 7, description: null },
        ],
      };
    default:
      return {
        tools: [
          { name: 'answer', inputSchema },
          { name: 'harm', inputSchema },
        ],
      };
  }
}

const FOREVER = 'setInterval(() => {}, 1e6)';
const held: Buffer[] = [];

/** Takes ever more memory. */
function hold(): void {
  held.push(Buffer.alloc(16 * MEGABYTE, 1));
  setImmediate(hold);
}

function flood(stream: NodeJS.WriteStream): void {
  stream.write(`${'garbage '.repeat(1_000)}\n`);
  setImmediate(() => flood(stream));
}

/** Starts a program in a session of its own, whose parent ends at once. */
function leave(command: string, args: string[]): void {
  spawn('sh', ['-c', '"$@" & echo "child $!" >&2', 'sh', command, ...args], {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** @returns the result; nothing: the harm is the answer */
function harm(id: number): unknown {
  switch (way) {
    case 'gigantic-line':
      process.stdout.write('{"result":{"content":[{"type":"text","text":"');
      for (let n = 0; n < 40; n += 1) process.stdout.write('x'.repeat(MEGABYTE));
      process.stdout.write(`"}]},"jsonrpc":"2.0","id":${id}}\n`);
      return undefined;
    case 'not-json-rpc':
      write({ jsonrpc: '1.0', id, result: 'a text' });
      return undefined;
    case 'deep':
      write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"deep":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`);
      return undefined;
    case 'hog':
      hold();
      return undefined;
    case 'hogs':
      // Each on its own is small, and none is in the process group.
      for (let n = 0; n < 4; n += 1)
        leave(process.execPath, ['-e', `globalThis.held = Buffer.alloc(${64 * MEGABYTE}, 1); ${FOREVER}`]);
      return undefined;
    case 'forks':
      for (let n = 0; n < 40; n += 1) leave('sleep', ['100000']);
      return undefined;
    case 'flood':
      flood(process.stdout);
      return undefined;
    case 'stderr-flood':
      flood(process.stderr);
      return { content: [] };
    case 'newer':
      return { content: [{ type: 'hologram', volume: [1, 2, 3] }], later: true };
    case 'requests':
      // Wants what is not offered.
      write({ jsonrpc: '2.0', id: 'r', method: 'roots/list' });
      write({ jsonrpc: '2.0', id: 's', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
      write({ jsonrpc: '2.0', id: 'e', method: 'elicitation/create', params: { message: 'password?' } });
      asked = id;
      return undefined;
    default:
      return { content: [] };
  }
}

/** The call that waits for the refusals of `requests`. */
let asked: number | undefined;
const refusals: unknown[] = [];

if (way === 'garbage') {
  write('Welcome to my server!\n\n{"jsonrpc": "2.0"}\n[1, 2]\nnull\n{{{\u0000');
  process.stdout.write(Buffer.from([0xff, 0xfe, 0x80, 0x0a]));
  for (let n = 0; n < 1_000; n += 1) process.stderr.write(`${'noise '.repeat(100)}\n`);
}
if (way === 'child-ignores-signals') {
  const child = spawn(
    process.execPath,
    ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1e6); console.log()'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1e6);
  await new Promise((resolve) => {
    child.stdout.once('data', resolve);
  });
  process.stderr.write(`child ${child.pid}\n`);
}

if (way === 'leaves-children') {
  leave(process.execPath, ['-e', `process.on("SIGTERM", () => {}); ${FOREVER}`]);
  spawn('sleep', ['100000']);
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1e6);
}
process.stderr.write(`child ${process.pid}\n`);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, error } = JSON.parse(line) as {
    id?: number | string;
    method?: string;
    params?: { cursor?: string; name?: string };
    error?: { code: number };
  };
  if (error !== undefined) {
    refusals.push([id, error.code]);
    if (refusals.length === 3)
      write({ jsonrpc: '2.0', id: asked, result: { content: [], structuredContent: { refusals } } });
    return;
  }
  const answer = (result: unknown): void => write({ jsonrpc: '2.0', id, result });
  switch (method) {
    case 'initialize':
      if (way === 'hang') break;
      answer({
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'hostile', version: '6.6.6' },
      });
      break;
    case 'tools/list':
      answer(list(params?.cursor));
      break;
    case 'tools/call': {
      const result = params?.name === 'harm' ? harm(Number(id)) : { content: [{ type: 'text', text: 'fine' }] };
      if (result !== undefined) answer(result);
      break;
    }
    case 'ping':
      if (way !== 'deaf') answer({});
      break;
    default:
      break;
  }
});
