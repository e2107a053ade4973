/** One MCP server, reconnected as needed. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Health } from '@casebook/wire';
import { QueryError } from '@casebook/connectors';
import { type McpTimings, backoffMs } from './timings.ts';
import { createBoundedLog } from './bounded-log.ts';
import { describeError, wasTurnedAway } from './errors.ts';
import { HttpTransport } from './http/transport.ts';
import type { McpCallContext } from './port.ts';
import { Session } from './session.ts';
import type { Log, McpServerSettings } from './settings.ts';
import { StdioTransport } from './stdio/transport.ts';
import type { Listing } from './tools.ts';

/** Maximum number of names in a message that lists the tools. */
const MAX_NAMES = 50;
const MAX_SENTENCE_CHARACTERS = 1_000;
const NO_TOOLS: Listing = { tools: [], omitted: 0 };

export interface ClientOptions {
  log: Log;
  /** Who we are, which the servers are told. */
  client: { name: string; version: string };
  timings?: Partial<McpTimings>;
}

interface McpServerOptions extends ClientOptions {
  settings: McpServerSettings;
  timings: McpTimings;
  /** The server's tools or health have changed. */
  onChange(): void;
}

export class McpServer {
  readonly #options: McpServerOptions;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  /** The open connection, or the one being opened. */
  #session: Session | undefined;
  /** Why there is no connection. */
  #failure: string | undefined;
  /** The same for the caller, where that says more. */
  #refusal: QueryError | undefined;
  #failedAt = 0;
  readonly #waiting = new Set<() => void>();

  /** Starts connecting. */
  constructor(options: McpServerOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  get name(): string {
    return this.#options.settings.name;
  }

  /** The server's current tools: none while it is away. */
  get listing(): Listing {
    return this.#open()?.listing ?? NO_TOOLS;
  }

  health(): Health {
    const session = this.#open();
    const { name: id } = this;
    if (session === undefined && this.#failure === undefined) return { id, of: 'mcp', status: 'unknown' };
    const message = session === undefined ? this.#failure : session.silence;
    const checkedAt = session?.checkedAt ?? this.#failedAt;
    return {
      id,
      of: 'mcp',
      status: message === undefined ? 'ok' : 'failing',
      message: message?.slice(0, MAX_SENTENCE_CHARACTERS),
      checkedAgoMs: Math.max(0, performance.now() - checkedAt),
    };
  }

  /**
   * @returns the server's result as it is
   * @throws {QueryError}
   */
  async call(tool: string, args: Record<string, unknown>, context: McpCallContext): Promise<unknown> {
    const session = this.#reachable(tool);
    try {
      return await session.call(tool, args, context);
    } catch (error) {
      if (!wasTurnedAway(error) || context.signal.aborted) throw error;
      // The server may have forgotten the session; then the call has not begun, and the next session may repeat it.
      await session.ping();
      if (session.lost === undefined) throw error;
      await this.#nextSession(context.signal);
      return await this.#reachable(tool).call(tool, args, context);
    }
  }

  /**
   * Resolves when the server is connected.
   * @throws {QueryError} when the attempt under way, or the next one, fails
   * @throws the signal's reason
   */
  async ready(signal: AbortSignal): Promise<void> {
    await this.#nextSession(signal);
    signal.throwIfAborted();
    if (this.#open() === undefined) throw this.#refusal ?? this.#unreachable('');
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#session?.leave();
    await this.#running;
  }

  #open(): Session | undefined {
    return this.#session?.isOpen === true ? this.#session : undefined;
  }

  #reachable(tool: string): Session {
    const session = this.#open();
    if (session === undefined) {
      throw this.#refusal ?? this.#unreachable(' Casebook keeps retrying.');
    }
    const { tools, omitted } = session.listing;
    if (tools.some(({ name }) => name === tool)) return session;
    const names = tools.slice(0, MAX_NAMES).map(({ name }) => name);
    const more = tools.length - names.length + omitted;
    const known =
      names.length === 0 ? 'It offers none.' : `There are: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
    throw new QueryError('not_found', `The MCP server “${this.name}” has no tool ${JSON.stringify(tool)}. ${known}`);
  }

  #unreachable(hint: string): QueryError {
    const why = (this.#failure ?? 'it has not answered so far').replace(/\.$/u, '');
    return new QueryError('failed', `The MCP server “${this.name}” is not connected: ${why}.${hint}`);
  }

  /** Resolves when a reconnection has succeeded or failed, or when the caller gives up. */
  #nextSession(signal: AbortSignal): Promise<void> {
    if (this.#open() !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  async #run(): Promise<void> {
    const { settings, log, timings } = this.#options;
    const { name: server } = settings;
    let failures = 0;
    while (!this.#closing.signal.aborted) {
      const session = this.#connect();
      this.#session = session;
      const since = performance.now();
      try {
        await session.open();
        log.info(
          { server, tools: session.listing.tools.length, omitted: session.listing.omitted },
          'MCP server connected',
        );
        this.#attempted();
        await session.ended;
        this.#away(session.lost);
        // Kills what is left of a child.
        await session.close('');
      } catch (error) {
        this.#away(session.lost ?? describeError(error), error);
        this.#attempted();
      }
      if (this.#closing.signal.aborted) return;
      failures = this.#failedAt - since >= timings.steadyMs ? 1 : failures + 1;
      log.warn({ server, reason: this.#failure, failures }, 'MCP server is unavailable');
      const pause = delay(backoffMs(failures, timings.backoff), undefined, { signal: this.#closing.signal });
      await pause.catch(() => undefined);
    }
  }

  /** An attempt to connect has ended, one way or the other. */
  #attempted(): void {
    for (const done of this.#waiting) done();
    this.#options.onChange();
  }

  #away(why: string | undefined, error?: unknown): void {
    this.#failure = why;
    this.#refusal = error instanceof QueryError ? error : undefined;
    this.#failedAt = performance.now();
    this.#options.onChange();
  }

  #connect(): Session {
    return new Session({ ...this.#options, transport: transportOf(this.#options) });
  }
}

function transportOf({ settings, log }: McpServerOptions): StdioTransport | HttpTransport {
  if (settings.transport === 'http') return new HttpTransport(settings);
  const onStderr = createBoundedLog(log, settings.name, 'standard error of an MCP server');
  return new StdioTransport({ ...settings, onStderr });
}
