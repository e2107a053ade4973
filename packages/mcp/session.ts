/** One connection to an MCP server, from `initialize` until it is lost. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { QueryError } from '@casebook/connectors';
import { createBoundedLog } from './bounded-log.ts';
import { describeError, isAnswer, isClosed, isTimeout, queryError } from './errors.ts';
import { HttpTransport } from './http/transport.ts';
import type { McpCallContext } from './port.ts';
import { DEFAULT_TIMEOUT_MS, type Log, type McpServerSettings } from './settings.ts';
import type { StdioTransport } from './stdio/transport.ts';
import type { McpTimings } from './timings.ts';
import { listTools, toolsPage, type Listing } from './tools.ts';

/** Maximum duration of a call that keeps reporting progress, in ms: the longest Casebook may ask for. */
const MAX_CALL_MS = 600_000;
/** Unanswered pings after which an idle server counts as lost. */
const MAX_MISSED_PINGS = 2;

/**
 * The whole result: unlike the SDK's `callTool`, this discards nothing because a content type is newer than the SDK or
 * structured content does not match the tool's own schema.
 */
const whole = z.looseObject({});

interface SessionOptions {
  settings: McpServerSettings;
  client: { name: string; version: string };
  transport: StdioTransport | HttpTransport;
  timings: McpTimings;
  log: Log;
  /** The server's tools or health have changed. */
  onChange(): void;
}

export class Session {
  listing: Listing = { tools: [], omitted: 0 };
  /** Why the last ping failed; undefined when it was answered. */
  silence: string | undefined;
  /** Time of the last ping, on the process's clock in ms. */
  checkedAt: number | undefined;
  /** Why the connection is gone, once it is. */
  lost: string | undefined;
  /** Resolves when the connection is gone. */
  readonly ended: Promise<void>;
  readonly #options: SessionOptions;
  readonly #client: Client;
  #opened = false;
  readonly #timers = new Set<NodeJS.Timeout>();
  #end: () => void = () => undefined;
  #calls = 0;
  #silentLooks = 0;
  #pinging: Promise<void> | undefined;
  #announced = false;
  #relisting: Promise<void> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { transport, client } = options;
    // No capabilities: roots, sampling and elicitation are not offered, and the SDK refuses them.
    this.#client = new Client(client, { capabilities: {} });
    const misbehaves = createBoundedLog(options.log, options.settings.name, 'an MCP server misbehaves');
    const handlers: Pick<Client, 'onclose' | 'onerror'> = {
      onclose: () => this.#gone('outcome' in transport ? transport.outcome : undefined),
      onerror: (error) => misbehaves(describeError(error)),
    };
    Object.assign(this.#client, handlers);
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.#toolsChanged());
    if (transport instanceof HttpTransport) transport.ontrouble = () => void this.ping();
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Whether it accepts calls. */
  get isOpen(): boolean {
    return this.#opened && this.lost === undefined;
  }

  /** Connects and lists the tools. @throws when that fails; the connection is closed then, and `lost` says why */
  async open(): Promise<void> {
    const { transport, timings } = this.#options;
    try {
      await this.#client.connect(transport, { timeout: timings.connectMs });
      await this.#list();
      this.checkedAt = performance.now();
      this.#opened = true;
    } catch (error) {
      const closed = this.lost;
      await this.close(describeError(error));
      // The SDK closes the connection itself, and reports only that it did.
      if (isClosed(error) && closed !== undefined) this.lost = closed;
      else this.lost = isTimeout(error) ? 'it did not answer in time' : describeError(error);
      throw error;
    }
    this.#every(timings.pingEveryMs, () => this.ping());
    this.#every(timings.listEveryMs, () => this.#relist());
  }

  /**
   * @returns the server's result as it is
   * @throws {QueryError}
   * @throws the signal's reason when the caller gives up
   */
  async call(name: string, args: Record<string, unknown>, { signal, maxBytes }: McpCallContext): Promise<unknown> {
    const { settings } = this.#options;
    // Given the caller's own signal, the SDK would notify the server of a cancellation even after its answer.
    const stop = new AbortController();
    const onAbort = (): void => stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    this.#calls += 1;
    try {
      const result = await this.#client.request({ method: 'tools/call', params: { name, arguments: args } }, whole, {
        signal: stop.signal,
        timeout: settings.timeoutMs ?? DEFAULT_TIMEOUT_MS,
        maxTotalTimeout: MAX_CALL_MS,
        resetTimeoutOnProgress: true,
        // Asks the server to report progress.
        onprogress: () => undefined,
      });
      const bytes = Buffer.byteLength(JSON.stringify(result));
      if (bytes > maxBytes) {
        const message = `The result of ${name} has ${bytes} bytes, more than the ${maxBytes} allowed: ask for less.`;
        throw new QueryError('too_large', message);
      }
      return result;
    } catch (error) {
      signal.throwIfAborted();
      throw queryError(error, settings.name, this.lost);
    } finally {
      this.#calls -= 1;
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Pings the server; one that does not answer is lost. Concurrent pings share one request. */
  ping(): Promise<void> {
    this.#pinging ??= this.#ping().finally(() => {
      this.#pinging = undefined;
    });
    return this.#pinging;
  }

  /** @param why value of `lost` */
  async close(why: string): Promise<void> {
    this.#gone(why);
    await this.#client.close();
    await this.#options.transport.close();
  }

  /** Ends the session at the server first, where the transport can. */
  async leave(): Promise<void> {
    const { transport } = this.#options;
    if (this.isOpen && transport instanceof HttpTransport) await transport.goodbye();
    await this.close('it was closed');
  }

  async #ping(): Promise<void> {
    let failure: unknown;
    try {
      await this.#client.request({ method: 'ping' }, whole, { timeout: this.#options.timings.pingMs });
    } catch (error) {
      if (!isAnswer(error)) failure = error;
    }
    if (this.lost !== undefined) return;
    this.checkedAt = performance.now();
    const before = this.silence;
    this.silence = failure === undefined ? undefined : describeSilence(failure);
    this.#silentLooks = failure === undefined ? 0 : this.#silentLooks + 1;
    // A server that does one thing at a time does not answer while it works.
    const mayBeBusy = isTimeout(failure) && (this.#calls > 0 || this.#silentLooks < MAX_MISSED_PINGS);
    if (this.silence !== undefined && !mayBeBusy) await this.close(this.silence);
    else if (before !== this.silence) this.#options.onChange();
  }

  async #list(): Promise<void> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return;
    const { settings, timings } = this.#options;
    const { name: server, allow, deny, readOnly, timeoutMs = DEFAULT_TIMEOUT_MS } = settings;
    // Of all pages together.
    const deadline = performance.now() + timings.connectMs;
    this.listing = await listTools(
      (cursor) =>
        this.#client.request({ method: 'tools/list', params: { cursor } }, toolsPage, {
          timeout: Math.max(1, Math.min(timeoutMs, deadline - performance.now())),
        }),
      { server, allow, deny, readOnly },
    );
  }

  /** Keeps the known tools when the server fails to list them. */
  async #relist(): Promise<void> {
    const before = JSON.stringify(this.listing);
    try {
      await this.#list();
      if (before !== JSON.stringify(this.listing)) this.#options.onChange();
    } catch (error) {
      const { settings, log } = this.#options;
      log.warn({ server: settings.name, reason: describeError(error) }, 'cannot list the tools of an MCP server again');
    }
  }

  /** One listing at a time: what is announced until it begins is in it. */
  async #relistNext(): Promise<void> {
    await this.#relisting;
    this.#announced = false;
    this.#relisting = this.#relist();
  }

  #toolsChanged(): void {
    if (this.#announced || this.lost !== undefined) return;
    this.#announced = true;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#relistNext();
    }, this.#options.timings.debounceMs);
    this.#timers.add(timer);
  }

  #every(ms: number, action: () => Promise<void>): void {
    if (this.lost === undefined) this.#timers.add(setInterval(() => void action(), ms));
  }

  #gone(why: string | undefined): void {
    if (this.lost !== undefined) return;
    this.lost = why ?? 'the connection was closed';
    for (const timer of this.#timers) clearTimeout(timer);
    this.#end();
  }
}

function describeSilence(failure: unknown): string {
  return isTimeout(failure) ? 'it does not answer a ping' : describeError(failure);
}
