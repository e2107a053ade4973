/**
 * MCP over a child's standard input and output. Replaces the SDK's own transport, which ends only the child (most
 * servers are started by `npx` or `uvx`, whose children would survive), copies a long line again for each chunk, and
 * drops the connection over one overlong line.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { JSONRPCMessageSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { MAX_ANSWER_BYTES } from '@casebook/wire';
import { QueryError } from '@casebook/connectors';
import { createLineReader } from './lines.ts';
import { answeredId, ENVELOPE_BYTES, rejection } from '../errors.ts';

/** Limits the memory of a server that sends requests and never reads our answers. */
const MAX_UNREAD_BYTES = 2 * MAX_ANSWER_BYTES;
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

interface StdioOptions {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd?: string;
  onStderr(line: string): void;
}

/**
 * Transports with a running child. An abrupt exit of this process kills them: they may ignore the end of their input.
 */
const running = new Set<StdioTransport>();
const killAll = (): void => {
  for (const transport of running) transport.kill();
};

export class StdioTransport implements Transport {
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  onmessage?: Transport['onmessage'];
  /** How the process ended, once it has. */
  outcome: string | undefined;
  readonly #options: StdioOptions;
  #child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  #ending: Promise<void> | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** Set once the child has started. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** @throws when the command cannot be started */
  async start(): Promise<void> {
    const { command, args, env, cwd, onStderr } = this.#options;
    const child = spawn(command, args, {
      env: { ...getDefaultEnvironment(), ...env },
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      // A process group of its own, so that its children can be ended with it.
      detached: true,
    });
    // Registered at once, so that a close from now on ends it.
    if (child.pid !== undefined) {
      this.#child = child;
      if (running.size === 0) process.on('exit', killAll);
      running.add(this);
    }
    await once(child, 'spawn');
    const maxBytes = MAX_ANSWER_BYTES + ENVELOPE_BYTES;
    child.stdout.on(
      'data',
      createLineReader(maxBytes, {
        line: (text) => this.#line(text),
        tooLong: (head, tail) => {
          const error = new QueryError('too_large', `The MCP server sent more than ${maxBytes} bytes in one message.`);
          this.#failed(idAtAnEnd(head, tail), error);
        },
      }),
    );
    child.stderr.on('data', createLineReader(MAX_STDERR_LINE_BYTES, { line: onStderr, tooLong: onStderr }));
    for (const stream of [child.stdin, child.stdout, child.stderr, child]) {
      stream.on('error', (error: Error) => this.onerror?.(error));
    }
    child.once('exit', (code, signal) => {
      this.outcome = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      void this.close();
    });
    child.once('close', () => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) throw new Error('its process has ended');
    if (stdin.writableLength > MAX_UNREAD_BYTES) throw new Error('it does not read its input');
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Ends the process and everything it started: end of input, then SIGTERM, then SIGKILL. */
  close(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /** Kills the process and everything it started, at once. */
  kill(): void {
    this.#signal('SIGKILL');
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
    // The last output is still read; a process that left the group may hold the pipes forever.
    await Promise.race([closed, delay(TERM_GRACE_MS, undefined, { ref: false })]);
    child.stdout.destroy();
    child.stderr.destroy();
    await closed;
    running.delete(this);
    if (running.size === 0) process.off('exit', killAll);
  }

  async #gone(maxMs: number, gone: () => boolean): Promise<void> {
    for (const end = performance.now() + maxMs; !gone() && performance.now() < end;) await delay(POLL_MS);
  }

  /** @returns whether any process of the group received it */
  #signal(signal: NodeJS.Signals | 0): boolean {
    const pid = this.#child?.pid;
    try {
      return pid !== undefined && process.kill(-pid, signal);
    } catch {
      return false;
    }
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
      const parsed = JSONRPCMessageSchema.safeParse(one);
      if (parsed.success) this.onmessage?.(parsed.data);
      else this.#failed(answeredId(one), new QueryError('failed', "The MCP server's answer is not JSON-RPC."));
    }
  }

  #failed(id: number | undefined, error: QueryError): void {
    if (id === undefined) this.onerror?.(error);
    else this.onmessage?.(rejection(id, error));
  }
}
