/**
 * A server of the Messages API that plays a script over the real protocol and records what it was asked. It refuses
 * what the real API refuses. Without delays in the script it adds no latency.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  answerEvents,
  answerMessage,
  encodeEvent,
  errorBody,
  listen,
  parseRequest,
  readJson,
  sendError,
  sendJson,
  startEventStream,
  type Answer,
  type AnswerBlock,
  type MessagesRequest,
} from '@casebook/offline-model';
import { Gates } from './gates.ts';
import { OUT_OF_SCRIPT, type Script, type ScriptedStep } from './script.ts';

export interface RecordedRequest {
  index: number;
  turn: number;
  attempt: number;
  headers: IncomingHttpHeaders;
  body: MessagesRequest;
  /** The client went away before the answer was complete. */
  aborted: boolean;
  /** The whole answer was sent. */
  finished: boolean;
}

export interface ScriptedModel {
  /** Base URL for the client. */
  url: string;
  requests: RecordedRequest[];
  /** Opens a gate, for requests that wait at it and for those to come. */
  release(gate: string): void;
  /** Waits until so many requests have arrived. */
  waitForRequests(count: number): Promise<void>;
  /** Waits until a request waits at the gate. */
  waitForHold(gate: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server that plays the script. */
export async function startScriptedModel(script: Script, options: { port?: number } = {}): Promise<ScriptedModel> {
  const player = new Player(script);
  const server = await listen((request, response) => {
    player.handle(request, response).catch(() => response.destroy());
  }, options.port ?? 0);
  return {
    url: server.url,
    requests: player.requests,
    release: (gate) => player.gates.release(gate),
    waitForRequests: (count) => player.arrived(count),
    waitForHold: (gate) => player.gates.waitForHold(gate),
    stop: () => server.stop(),
  };
}

class Player {
  readonly requests: RecordedRequest[] = [];
  readonly gates = new Gates();
  readonly #script: Script;
  readonly #attempts = new Map<string, number>();
  #waiting: { count: number; resolve: () => void }[] = [];

  constructor(script: Script) {
    this.#script = script;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/_requests')
      return sendJson(response, 200, { count: this.requests.length, requests: this.requests });
    if (request.url === '/_release') {
      const body = await readJson(request);
      if (typeof body === 'object' && body && 'gate' in body) this.gates.release(String(body.gate));
      return sendJson(response, 200, { waiting: this.gates.waiting() });
    }
    if (request.method !== 'POST' || !request.url?.startsWith('/v1/messages')) {
      return sendError(response, 404, 'not_found_error', `${request.method} ${request.url} does not exist`);
    }
    const body = await readJson(request);
    const parsed = parseRequest(body);
    if (typeof parsed === 'string') return sendError(response, 400, 'invalid_request_error', parsed);
    const recorded = this.#record(request, parsed);
    response.on('close', () => {
      recorded.aborted = !recorded.finished;
    });
    const { index, turn, attempt } = recorded;
    const context = { index, turn, attempt, request: recorded.body };
    const step = typeof this.#script === 'function' ? await this.#script(context) : this.#script[index];
    await this.#play(step ?? OUT_OF_SCRIPT, recorded, response);
  }

  arrived(count: number): Promise<void> {
    if (this.requests.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  #record(request: IncomingMessage, body: MessagesRequest): RecordedRequest {
    const turn = body.messages.filter((message) => message.role === 'assistant').length;
    const key = createHash('sha1').update(JSON.stringify(body.messages)).digest('base64');
    const attempt = this.#attempts.get(key) ?? 0;
    this.#attempts.set(key, attempt + 1);
    const index = this.requests.length;
    const recorded = { index, turn, attempt, headers: request.headers, body, aborted: false, finished: false };
    this.requests.push(recorded);
    for (const waiter of this.#waiting.filter(({ count }) => this.requests.length >= count)) waiter.resolve();
    this.#waiting = this.#waiting.filter(({ count }) => this.requests.length < count);
    return recorded;
  }

  async #play(step: ScriptedStep, recorded: RecordedRequest, response: ServerResponse): Promise<void> {
    if (step.hold?.at === 'start') await this.gates.wait(step.hold.gate, response);
    if (step.cut === 'start') return void response.destroy();
    if (step.hang?.at === 'start') return;
    if (step.error) {
      const { status, type = 'api_error', message = 'Scripted error', headers } = step.error;
      recorded.finished = true;
      return sendJson(response, status, errorBody(type, message), headers);
    }
    const answer = answerOf(step, recorded);
    if (!recorded.body.stream) {
      recorded.finished = true;
      return sendJson(response, 200, answerMessage(answer));
    }
    startEventStream(response);
    await this.#stream(step, answer, response, recorded);
  }

  async #stream(
    step: ScriptedStep,
    answer: Answer,
    response: ServerResponse,
    recorded: RecordedRequest,
  ): Promise<void> {
    const events = [...answerEvents(answer, step.deltaCharacters)];
    const middle = Math.floor(events.length / 2);
    if (!needsPacing(step)) {
      recorded.finished = true;
      return void response.end(events.map(encodeEvent).join(''));
    }
    for (const [position, event] of events.entries()) {
      if (response.destroyed) return;
      if (position === middle && (await this.#incident(step, response))) return;
      if (step.cut === 'ending' && event.type === 'message_stop') return void response.end();
      if (step.delayMsBetweenDeltas && event.type === 'content_block_delta') await delay(step.delayMsBetweenDeltas);
      response.write(encodeEvent(event));
    }
    recorded.finished = true;
    response.end();
  }

  /** What happens in the middle of a stream; true when it ends there. */
  async #incident(step: ScriptedStep, response: ServerResponse): Promise<boolean> {
    if (step.hold?.at === 'middle') await this.gates.wait(step.hold.gate, response);
    if (step.streamError) response.end(encodeEvent({ type: 'error', error: step.streamError }));
    if (step.cut === 'middle') {
      // The first half must have left, or the client would see a failed connection instead of a cut stream.
      await new Promise((resolve) => response.write(encodeEvent({ type: 'ping' }), resolve));
      response.destroy();
    }
    for (let ping = 0; ping < (step.pause?.pings ?? 0) && !response.destroyed; ping += 1) {
      await delay(step.pause?.everyMs);
      response.write(encodeEvent({ type: 'ping' }));
    }
    if (step.hang?.at === 'middle' && !response.destroyed) await once(response, 'close');
    return Boolean(step.streamError ?? step.cut === 'middle') || step.hang?.at === 'middle' || response.destroyed;
  }
}

function needsPacing(step: ScriptedStep): boolean {
  return Boolean(
    step.delayMsBetweenDeltas || step.hold?.at === 'middle' || step.cut || step.hang || step.pause || step.streamError,
  );
}

function answerOf(step: ScriptedStep, { index, turn, body }: RecordedRequest): Answer {
  const content: AnswerBlock[] = [];
  if (step.thinking) {
    const { text, signature } =
      typeof step.thinking === 'string' ? { text: step.thinking, signature: `signature-${index}` } : step.thinking;
    content.push({ type: 'thinking', thinking: text, signature });
  }
  if (step.redactedThinking) content.push({ type: 'redacted_thinking', data: step.redactedThinking });
  if (step.text) content.push({ type: 'text', text: step.text });
  for (const [position, use] of (step.toolUses ?? []).entries()) {
    const id = use.id ?? `toolu_scripted_${turn}_${position}`;
    content.push({ type: 'tool_use', id, name: use.name, input: use.input ?? {}, rawInput: use.rawInput });
  }
  return {
    id: `msg_scripted_${index}`,
    model: body.model,
    content,
    stopReason: step.stopReason ?? (step.toolUses?.length ? 'tool_use' : 'end_turn'),
    usage: { input_tokens: 100, output_tokens: 20, ...step.usage },
  };
}
