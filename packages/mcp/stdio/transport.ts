/**
 * MCP over a child's standard input and output. The child ends with this process, and everything it started ends with it.
 * Replaces the SDK's own transport, which ends only the child (most
 * servers are started by `npx` or `uvx`, whose children would survive), copies a long line again for each chunk, and
 * drops the connection over one overlong line.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { JSONRPCMessageSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { MAX_ANSWER_BYTES } from '@casebook/wire';
import { QueryError } from '@casebook/connectors';
import { answeredId, rejection } from '../errors.ts';
import { MAX_MESSAGE_BYTES, type StdioServer } from '../settings.ts';
import { createLineReader } from './lines.ts';
import { slowed } from './slowed.ts';
import { watchUsage } from './usage.ts';
import { MARK, startWatchdog, type Watchdog } from './watchdog.ts';

/** Limits the memory of a server that sends requests and never reads our answers. */
const MAX_UNREAD_BYTES = 2 * MAX_ANSWER_BYTES;
/** What a server may send without answering anything, in messages of the maximum size. */
const MAX_UNASKED_MESSAGES = 2;
const STDERR_BYTES_PER_SECOND = 256 * 1024;
const MAX_STDERR_LINE_BYTES = 4_096;
/** Grace period after the end of its input, and after SIGTERM, in ms. */
const INPUT_GRACE_MS = 500;
const TERM_GRACE_MS = 2_000;
const POLL_MS = 20;

/** The id of a message whose middle is unknown: the first or last member, where SDKs write it. */
function idAtAnEnd(head: string, tail: string): number | undefined {
  const [, first] = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*"?(\d{1,15})\b/u.exec(head) ?? [];
  const [, last] = /"id"\s*:\s*"?(\d{1,15})"?\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/u.exec(tail) ?? [];
  const id = first ?? last;
  return id === undefined ? undefined : Number(id);
}

interface StdioOptions extends Pick<StdioServer, 'command' | 'args' | 'env' | 'cwd' | 'confine' | 'maxMessageBytes'> {
  onStderr(line: string): void;
}

export class StdioTransport implements Transport {
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  onmessage?: Transport['onmessage'];
  /** How the process ended, once it has. */
  outcome: string | undefined;
  readonly #options: StdioOptions;
  readonly #maxBytes: number;
  #watchdog: Watchdog | undefined;
  #child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  #unwatch: () => void = () => undefined;
  #ending: Promise<void> | undefined;
  /** Requests without an answer so far. */
  readonly #open = new Set<number>();
  /** Bytes received since the last answer. */
  #unasked = 0;
  /** Why we ended the process. */
  #broken: string | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#maxBytes = options.maxMessageBytes ?? MAX_MESSAGE_BYTES;
  }

  /** Set once the child has started. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** @throws when the command cannot be started */
  async start(): Promise<void> {
    const { confine } = this.#options;
    const home = confine === undefined ? undefined : await mkdtemp(join(tmpdir(), 'casebook-tool-server-'));
    // From here on, it also removes the home.
    const watchdog = await startWatchdog(home);
    this.#watchdog = watchdog;
    try {
      if (home !== undefined) await furnish(home, confine?.files);
      // Meanwhile.
      if (this.#ending !== undefined) throw new Error('it was closed');
      await this.#spawn(home, watchdog);
    } catch (error) {
      await watchdog.end();
      throw error;
    }
  }

  async #spawn(home: string | undefined, watchdog: Watchdog): Promise<void> {
    const { command, args, env, cwd, confine } = this.#options;
    const child = spawn(command, args, {
      env: { ...(home === undefined ? getDefaultEnvironment() : confinedTo(home)), ...env, [MARK]: watchdog.mark },
      cwd: cwd ?? home,
      stdio: ['pipe', 'pipe', 'pipe'],
      // A process group of its own, so that its children can be ended with it.
      detached: true,
    });
    // Registered at once, so that a close from now on ends it.
    if (child.pid !== undefined) {
      this.#child = child;
      watchdog.guard(child.pid);
    }
    await once(child, 'spawn');
    if (confine !== undefined && child.pid !== undefined) {
      const { maxMemoryBytes = 512 * 1_048_576, maxProcesses = 32 } = confine;
      const ofChild = { group: child.pid, mark: watchdog.mark };
      const limits = { maxMemoryBytes, maxProcesses };
      this.#unwatch = watchUsage(ofChild, limits, (why, pids) => this.#break(why, pids));
    }
    this.#listen(child);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) throw new Error('its process has ended');
    if (stdin.writableLength > MAX_UNREAD_BYTES) throw new Error('it does not read its input');
    if ('method' in message && 'id' in message) this.#open.add(Number(message.id));
    else if ('method' in message && message.method === 'notifications/cancelled')
      this.#open.delete(Number(message.params?.['requestId']));
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Ends the process and everything it started: end of input, then SIGTERM, then SIGKILL. */
  close(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  #listen(child: ChildProcessByStdio<Writable, Readable, Readable>): void {
    const { onStderr } = this.#options;
    const read = createLineReader(this.#maxBytes, {
      line: (text) => this.#line(text),
      tooLong: (head, tail) => {
        const message = `The MCP server sent more than ${this.#maxBytes} bytes in one message.`;
        this.#failed(idAtAnEnd(head, tail), new QueryError('too_large', message));
      },
    });
    child.stdout.on('data', (chunk: Buffer) => {
      this.#unasked += chunk.length;
      read(chunk);
      if (this.#unasked > MAX_UNASKED_MESSAGES * this.#maxBytes) this.#break('it flooded its standard output');
    });
    const readStderr = createLineReader(MAX_STDERR_LINE_BYTES, { line: onStderr, tooLong: onStderr });
    slowed(child.stderr, STDERR_BYTES_PER_SECOND, readStderr);
    for (const stream of [child.stdin, child.stdout, child.stderr, child]) {
      stream.on('error', (error: Error) => this.onerror?.(error));
    }
    child.once('exit', (code, signal) => {
      const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      this.outcome = this.#broken === undefined ? how : `was ended because ${this.#broken}`;
      void this.close();
    });
    child.once('close', () => this.onclose?.());
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const closed = new Promise<void>((resolve) => {
      child.once('close', () => resolve());
    });
    child.stdin.end();
    if (this.outcome === undefined) await this.#gone(INPUT_GRACE_MS, () => this.outcome !== undefined);
    if (this.#signal('SIGTERM')) {
      await this.#gone(TERM_GRACE_MS, () => !this.#signal(0));
      this.#signal('SIGKILL');
    }
    this.#unwatch();
    await this.#watchdog?.end();
    // The last output is still read; a process that hides from the watchdog may hold the pipes forever.
    await Promise.race([closed, delay(TERM_GRACE_MS, undefined, { ref: false })]);
    child.stdout.destroy();
    child.stderr.destroy();
    await closed;
  }

  async #gone(maxMs: number, gone: () => boolean): Promise<void> {
    for (const end = performance.now() + maxMs; !gone() && performance.now() < end;) await delay(POLL_MS);
  }

  /** Ends the process at once. @param pids processes to end that may have left its group */
  #break(why: string, pids: readonly number[] = []): void {
    this.#broken ??= why;
    this.#signal('SIGKILL');
    for (const pid of pids) kill(pid, 'SIGKILL');
  }

  /** @returns whether any process of the group received it */
  #signal(signal: NodeJS.Signals | 0): boolean {
    const pid = this.#child?.pid;
    return pid !== undefined && kill(-pid, signal);
  }

  #line(text: string): void {
    if (text.trim() === '') return;
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      this.onerror?.(new Error('its standard output was not JSON'));
      return;
    }
    for (const one of Array.isArray(json) ? json : [json]) {
      const id = answeredId(one);
      if (id !== undefined && this.#open.delete(id)) this.#unasked = 0;
      const parsed = JSONRPCMessageSchema.safeParse(one);
      if (parsed.success) this.onmessage?.(parsed.data);
      else this.#failed(id, new QueryError('failed', "The MCP server's answer is not JSON-RPC."));
    }
  }

  #failed(id: number | undefined, error: QueryError): void {
    if (id === undefined) this.onerror?.(error);
    else this.onmessage?.(rejection(id, error));
  }
}

async function furnish(home: string, files: Readonly<Record<string, string>> = {}): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(home, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, text, { mode: 0o600 });
  }
}

function confinedTo(home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: home, TMPDIR: home };
}

function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
