/**
 * Turns the events of a chat's turn into the chunks of a UI message stream. Pure and deterministic: the same events
 * give the same chunks, so that a stream can be resumed on any node by playing them again.
 *
 * Order: `start`; then for each model turn its reasoning and text, each as start, deltas, end, never interleaved; with
 * tools between `start-step` and `finish-step`, the calls after the words of their step and each result after its call;
 * then `data-*` results of the turn, `error` or `abort` where it did not complete, and `finish`.
 */
import type { LogEvent } from '../../../platform/event-log/port.ts';
import { spokenDigest, type SpokenPart } from '../../runs/index.ts';
import type { UiChunk } from './chunks.ts';
import { endedTurn, type EndedTurn } from './end.ts';
import { messageText, textDigest } from './message-text.ts';
import { Speech } from './speech.ts';

export interface UiStreamOptions {
  messageId: string;
  chatId: string;
  /** Tool calls, plans and citations travel as well, and steps are marked. */
  tools: boolean;
}

/** What the stored rows must say before an event can be turned into chunks. */
export type Missing = { step: number } | 'message' | undefined;

export class UiStream {
  private readonly options: UiStreamOptions;
  private readonly speech: Speech;
  private step = 0;
  private nonce = '';
  private inStep = false;

  constructor(options: UiStreamOptions) {
    this.options = options;
    this.speech = new Speech({ steps: options.tools });
  }

  /** The first chunk; it depends on no event. */
  start(): UiChunk {
    const { messageId, chatId } = this.options;
    return { type: 'start', messageId, chatId };
  }

  /**
   * Whether what was streamed differs from what is stored, so that the stored words are needed for this event: another
   * attempt was stored than the one that was seen, or the log has lost events.
   */
  missing({ type, data }: LogEvent): Missing {
    if (type === 'turn.completed') {
      const step = Number(data['step']);
      const seen = step === this.step ? spokenDigest(this.speech.present) : '';
      return seen === data['spoken'] ? undefined : { step };
    }
    const ended = endedTurn(type, data);
    return ended && ended.textDigest !== textDigest(messageText(this.speech.spoken)) ? 'message' : undefined;
  }

  /** @param stored what {@link missing} asked for */
  *take(event: LogEvent, stored?: readonly SpokenPart[]): Generator<UiChunk> {
    const { type, data } = event;
    const ended = endedTurn(type, data);
    if (ended) yield* this.end(ended, stored);
    else if (type === 'turn.started') yield* this.beginAttempt(Number(data['step']), String(data['nonce']));
    else if (type === 'turn.completed') yield* this.completeStep(data, stored);
    else if (type === 'text.delta' || type === 'thinking.delta' || type === 'tool.requested') yield* this.delta(event);
    else if (this.options.tools) yield* toolChunks(event);
  }

  private *beginAttempt(step: number, nonce: string): Generator<UiChunk> {
    // A late start of a step that is complete, from an attempt that was thought lost.
    if (step < this.step || (step === this.step && !this.inStep)) return;
    if (step > this.step) {
      // The step before never became complete: its words are not part of the message.
      yield* this.speech.end();
      yield* this.beginStep(step);
    }
    this.nonce = nonce;
    this.speech.beginAttempt();
  }

  private *beginStep(step: number): Generator<UiChunk> {
    if (this.options.tools) {
      if (this.step > 0) yield { type: 'finish-step' };
      yield { type: 'start-step' };
    }
    this.step = step;
    this.inStep = true;
  }

  private *delta({ type, data }: LogEvent): Generator<UiChunk> {
    // An attempt that was thought lost may still speak; only the latest one is heard.
    if (!this.inStep || data['nonce'] !== this.nonce || Number(data['step']) !== this.step) return;
    if (type === 'tool.requested') yield* this.speech.pause();
    else yield* this.speech.say(type === 'text.delta' ? 'text' : 'thinking', String(data['text']));
  }

  private *completeStep(data: LogEvent['data'], stored: readonly SpokenPart[] | undefined): Generator<UiChunk> {
    const step = Number(data['step']);
    if (step < this.step || (step === this.step && !this.inStep)) return;
    if (step > this.step) {
      yield* this.speech.end();
      yield* this.beginStep(step);
    }
    yield* this.speech.complete(stored);
    this.inStep = false;
    if (this.options.tools && Array.isArray(data['toolCalls'])) {
      for (const call of data['toolCalls']) {
        const { id, name, summary, input = {} } = call;
        yield { type: 'tool-input-available', toolCallId: id, toolName: name, input, title: summary };
      }
    }
  }

  private *end(ended: EndedTurn, stored: readonly SpokenPart[] | undefined): Generator<UiChunk> {
    yield* this.speech.end();
    if (stored) yield* this.speech.replace(stored);
    if (this.options.tools && this.step > 0) yield { type: 'finish-step' };
    yield* ended.results;
    if (this.options.tools) yield { type: 'data-citations', id: 'citations', data: ended.citations };
    if (ended.status === 'failed') yield { type: 'error', errorText: ended.explanation };
    if (ended.status === 'cancelled') yield { type: 'abort', reason: ended.explanation };
    const finishReason = ended.status === 'completed' ? 'stop' : ended.status === 'failed' ? 'error' : 'other';
    yield { type: 'finish', finishReason, messageMetadata: ended.metadata };
  }
}

function* toolChunks({ type, data }: LogEvent): Generator<UiChunk> {
  const toolCallId = String(data['id']);
  if (type === 'tool.completed' && data['isError'] === true) {
    yield { type: 'tool-output-error', toolCallId, errorText: String(data['digest']) };
  } else if (type === 'tool.completed') {
    const bytes = typeof data['bytes'] === 'number' ? data['bytes'] : null;
    const output = {
      evidence: Number(data['evidence']),
      digest: String(data['digest']),
      bytes,
      resultUrl: `/api/tool-results/${toolCallId}`,
    };
    yield { type: 'tool-output-available', toolCallId, output };
  } else if (type === 'plan.updated') {
    yield { type: 'data-plan', id: 'plan', data: data['items'] };
  }
}
