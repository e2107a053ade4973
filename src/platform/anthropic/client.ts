/** The model client on Anthropic's SDK. One request, one answer: retries are up to the caller. */
import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { Stream } from '@anthropic-ai/sdk/streaming';
import { MessageAccumulator } from './accumulate.ts';
import { toModelError } from './errors.ts';
import { DEFAULT_MODEL, OFFLINE_MODEL } from './models.ts';
import { ModelError, type CompleteOptions, type ModelClient, type ModelRequest, type ModelResponse } from './port.ts';
import { costUsd } from './pricing.ts';
import { messagesBody } from './request.ts';

const ANTHROPIC_URL = 'https://api.anthropic.com';

export interface ModelClientOptions {
  /** Anthropic API key. */
  apiKey?: string;
  /** Another server of the Messages API. */
  baseUrl?: string;
  /** Model name; the provider's default if absent. */
  model?: string;
  /** Address of the offline model; used if there is neither a key nor a base URL. */
  offlineBaseUrl?: string;
  /** Maximum duration of a call, in milliseconds; 10 minutes by default. */
  requestTimeoutMs?: number;
  /** Maximum silence, in milliseconds, before and within an answer; pings count as activity. 90 seconds by default. */
  idleTimeoutMs?: number;
}

/**
 * A client of the Anthropic API if there is a key or a base URL, otherwise of the offline model.
 * @throws when neither a provider nor an offline address is given
 */
export function createModelClient(options: ModelClientOptions): ModelClient {
  const provider = options.apiKey || options.baseUrl ? 'anthropic' : 'offline';
  const baseURL = provider === 'anthropic' ? (options.baseUrl ?? ANTHROPIC_URL) : options.offlineBaseUrl;
  if (!baseURL) throw new Error('No model: give an API key, a base URL, or the address of the offline model.');
  const model = provider === 'anthropic' ? (options.model ?? DEFAULT_MODEL) : OFFLINE_MODEL;
  // Set every credential, so that the SDK does not look for one in the environment or in files.
  const sdk = new Anthropic({
    apiKey: options.apiKey ?? 'none',
    authToken: null,
    baseURL,
    maxRetries: 0,
    timeout: options.requestTimeoutMs ?? 600_000,
    logLevel: 'off',
  });
  const limits = { callMs: options.requestTimeoutMs ?? 600_000, idleMs: options.idleTimeoutMs ?? 90_000 };
  const named = (request: ModelRequest): string => (provider === 'anthropic' ? (request.model ?? model) : model);
  return { provider, model, complete: (request, call) => complete(sdk, named(request), limits, request, call) };
}

async function complete(
  sdk: Anthropic,
  model: string,
  limits: { callMs: number; idleMs: number },
  request: ModelRequest,
  { signal, onDelta }: CompleteOptions,
): Promise<ModelResponse> {
  signal.throwIfAborted();
  const watchdog = new Watchdog(limits);
  let answering = false;
  try {
    const response = await sdk.messages
      .create(messagesBody(model, request), { signal: AbortSignal.any([signal, watchdog.signal]) })
      .asResponse();
    answering = true;
    const accumulator = new MessageAccumulator();
    for await (const event of Stream.rawEvents(response)) {
      watchdog.alive();
      if (event.event === 'error') throw streamError(event.data, response.headers);
      if (event.event === 'ping' || !event.data) continue;
      const parsed: Anthropic.RawMessageStreamEvent = JSON.parse(event.data);
      const delta = accumulator.add(parsed);
      if (delta) onDelta?.(delta);
      if (accumulator.message.complete) break;
    }
    return finish(accumulator, model);
  } catch (error) {
    signal.throwIfAborted();
    throw toModelError(watchdog.signal.aborted ? watchdog.signal.reason : error, answering);
  } finally {
    watchdog.stop();
  }
}

/** A stream that ends early must not pass for a short answer. */
function finish({ message }: MessageAccumulator, requested: string): ModelResponse {
  if (!message.complete || message.stopReason === null) {
    throw new ModelError('The stream ended before the message did.', { kind: 'interrupted', retryable: true });
  }
  const model = message.model || requested;
  return {
    content: message.content,
    stopReason: message.stopReason,
    usage: message.usage,
    costUsd: costUsd(model, message.usage),
    model,
  };
}

function streamError(data: string, headers: Headers): unknown {
  try {
    const body: { error?: { type?: Anthropic.ErrorType } } = JSON.parse(data);
    return new APIError(undefined, body, undefined, headers, body.error?.type);
  } catch {
    return new Error(data);
  }
}

/** Aborts a call that takes too long or falls silent; its signal's reason is the {@link ModelError} to throw. */
class Watchdog {
  readonly #controller = new AbortController();
  readonly #callTimer: NodeJS.Timeout;
  readonly #idleTimer: NodeJS.Timeout;
  readonly signal = this.#controller.signal;

  constructor(limits: { callMs: number; idleMs: number }) {
    this.#callTimer = setTimeout(() => this.#expire(`took longer than ${limits.callMs} ms`), limits.callMs);
    this.#idleTimer = setTimeout(() => this.#expire(`was silent for ${limits.idleMs} ms`), limits.idleMs);
  }

  alive(): void {
    this.#idleTimer.refresh();
  }

  stop(): void {
    clearTimeout(this.#callTimer);
    clearTimeout(this.#idleTimer);
  }

  #expire(why: string): void {
    this.#controller.abort(new ModelError(`The model call ${why}.`, { kind: 'timeout', retryable: true }));
  }
}
