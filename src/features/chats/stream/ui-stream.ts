/**
 * Turns the events of a chat turn into the chunks of a UI message stream. Pure and deterministic: the same events give
 * the same chunks, so a stream can be resumed on any node by replaying them.
 * Order: `start`; then for each model turn its reasoning and text, each as start, deltas, end, never interleaved; with
 * tools, between `start-step` and `finish-step`, calls after the text of their step and each result after its call;
 * then the turn's `data-*` results, `error` or `abort` if it did not complete, and `finish`.
 */
import type { LogEvent } from '../../../platform/event-log/port.ts';
import type { SpokenPart } from '../../runs/index.ts';
import type { UiChunk } from './chunks.ts';
import { endedTurn, type EndedTurn } from './end.ts';
import { Speech } from './speech.ts';

export interface UiStreamOptions {
  messageId: string;
  chatId: string;
  /** The turn's first step; steps are numbered over the whole chat. */
  firstStep: number;
  /** Includes tool calls, plans and citations, and marks steps. */
  tools: boolean;
  /** If false, memory stays small however much is said, until {@link UiStream.needsWords} is true. Default: true. */
  keepsWords?: boolean;
  /**
   * Maximum characters to keep; if a longer message restarts a turn, it is taken back and said anew. Several times what
   * models say at once. Default: a million.
   */
  mostWords?: number;
}

const MAX_WORDS = 1_000_000;

/** Steps whose stored text is needed before an event can become chunks. */
export interface Missing {
  from: number;
  /** Absent: up to the last step of the turn, which has ended. */
  through?: number;
}

/** The stored text of steps, in order. */
export type StoredWords = ReadonlyMap<number, readonly SpokenPart[]>;

export class UiStream {
  private readonly options: UiStreamOptions;
  private readonly speech: Speech;
  /** The step that started last. */
  private step = 0;
  /** The first incomplete step. */
  private next: number;
  private nonce = '';
  private readonly requested = new Set<string>();
  private mayForget = false;
  /** The events alone determine what was shown. */
  private isPlayedByEvents = true;

  constructor(options: UiStreamOptions) {
    this.options = options;
    this.speech = new Speech({ steps: options.tools, keepsWords: options.keepsWords ?? true });
    this.next = options.firstStep;
  }

  /**
   * This stream as one that keeps text while it may be needed.
   * @param taken the events so far, read once more
   * @returns undefined if that is impossible or would be too much text: then {@link takeBack} what was shown
   */
  async withWords(taken: () => AsyncIterable<LogEvent>): Promise<UiStream | undefined> {
    if (!this.isPlayedByEvents) return undefined;
    const ui = new UiStream({ ...this.options, keepsWords: true });
    for await (const event of taken()) {
      for (const _chunk of ui.take(event));
      if (!ui.speech.keepsWords) return undefined;
    }
    ui.mayForget = true;
    return ui;
  }

  /**
   * Takes back what would have to be compared, for an event whose text is unavailable: the current step if steps are
   * marked, otherwise everything.
   */
  *takeBack(): Generator<UiChunk> {
    if (!this.speech.isShowing) return;
    yield* this.speech.takeBack();
    this.isPlayedByEvents = false;
    this.mayForget = false;
    if (this.options.tools) return;
    this.step = 0;
    this.next = this.options.firstStep;
  }

  /** The first chunk; it depends on no event. */
  start(): UiChunk {
    const { messageId, chatId } = this.options;
    // Clients of the AI SDK keep only metadata.
    return { type: 'start', messageId, chatId, messageMetadata: { chatId } };
  }

  /**
   * Where the stream differs from what is stored, so that this event needs the stored text: another attempt was stored
   * than the one streamed, or the log lost events. A step starts only once those before it are stored or given up.
   */
  missing({ type, data }: LogEvent): Missing | undefined {
    if (type === 'turn.started' || type === 'turn.completed') {
      const step = Number(data['step']);
      const isKnown = type === 'turn.started' || (step === this.step && this.hasHeard(data['spoken']));
      const through = isKnown ? step - 1 : step;
      return this.next <= through ? { from: this.next, through } : undefined;
    }
    const ended = endedTurn(type, data);
    return !ended || this.says(ended) ? undefined : { from: this.options.firstStep };
  }

  /**
   * Whether only a stream that keeps its text can take this event: what was shown may have to be compared with another
   * attempt, or said again. Also before stored text comes in between, so that the events alone determine what was shown
   * until then.
   */
  needsWords(event: LogEvent): boolean {
    if (this.speech.keepsWords) return false;
    const isEnd = endedTurn(event.type, event.data) !== undefined;
    const beginsAgain = event.type === 'turn.started' && Number(event.data['step']) >= this.next;
    if ((isEnd || beginsAgain) && this.speech.isShowing) return true;
    // After the last event nothing is compared.
    return !isEnd && this.missing(event) !== undefined;
  }

  /** @param stored what {@link missing} asked for */
  *take(event: LogEvent, stored?: StoredWords): Generator<UiChunk> {
    const { type, data } = event;
    const ended = endedTurn(type, data);
    if (ended) yield* this.end(ended, stored);
    else if (type === 'turn.started') yield* this.beginAttempt(Number(data['step']), String(data['nonce']), stored);
    else if (type === 'turn.completed') yield* this.completeStep(data, stored);
    else if (type === 'text.delta' || type === 'thinking.delta' || type === 'tool.requested') yield* this.delta(event);
    else if (this.options.tools) yield* this.toolChunks(event);
    if (stored) this.isPlayedByEvents = false;
    this.forgetWords();
  }

  private forgetWords(): void {
    if (!this.speech.keepsWords || this.speech.isBehind) return;
    const isTooMuch = this.speech.size > (this.options.mostWords ?? MAX_WORDS);
    if (isTooMuch || (this.mayForget && this.isPlayedByEvents)) this.speech.forgetWords();
  }

  private hasHeard(digest: unknown): boolean {
    return this.speech.present === digest;
  }

  private says({ textDigest: wanted }: EndedTurn): boolean {
    return this.speech.spoken === wanted;
  }

  private *beginAttempt(step: number, nonce: string, stored?: StoredWords): Generator<UiChunk> {
    // A late start of a completed step, from an attempt thought lost.
    if (step < this.next) return;
    yield* this.fillUp(step, stored);
    yield* this.beginStep(step);
    this.nonce = nonce;
    this.speech.beginAttempt();
  }

  private *beginStep(step: number): Generator<UiChunk> {
    if (step === this.step) return;
    // Text of a step that never completed is not part of the message.
    yield* this.speech.end();
    if (this.options.tools) {
      if (this.step > 0) yield { type: 'finish-step' };
      yield { type: 'start-step' };
    }
    this.step = step;
    this.nonce = '';
  }

  private *delta({ type, data }: LogEvent): Generator<UiChunk> {
    // An attempt thought lost may still speak; only the latest one counts.
    if (this.step < this.next || data['nonce'] !== this.nonce || Number(data['step']) !== this.step) return;
    if (type === 'tool.requested') yield* this.speech.pause();
    else yield* this.speech.say(type === 'text.delta' ? 'text' : 'thinking', String(data['text']));
  }

  private *completeStep(data: LogEvent['data'], stored?: StoredWords): Generator<UiChunk> {
    const step = Number(data['step']);
    if (step < this.next) return;
    yield* this.fillUp(step, stored);
    yield* this.beginStep(step);
    yield* this.speech.complete(stored?.get(step));
    this.next = step + 1;
    if (this.options.tools && Array.isArray(data['toolCalls'])) {
      for (const call of data['toolCalls']) {
        const { id, name, summary, input = {} } = call;
        this.requested.add(String(id));
        yield { type: 'tool-input-available', toolCallId: id, toolName: name, input, title: summary };
      }
    }
  }

  /** Says the stored text of earlier steps whose completion the log has lost. */
  private *fillUp(before: number, stored: StoredWords = new Map()): Generator<UiChunk> {
    for (const [step, words] of stored) {
      if (step < this.next || step >= before) continue;
      yield* this.beginStep(step);
      yield* this.speech.complete(words);
      this.next = step + 1;
    }
  }

  private *end(ended: EndedTurn, stored?: StoredWords): Generator<UiChunk> {
    yield* this.fillUp(Number.POSITIVE_INFINITY, stored);
    yield* this.speech.end();
    // A step stored after later ones had started. If steps are marked it could no longer be taken back.
    if (stored && !this.options.tools && !this.says(ended)) yield* this.speech.replace([...stored.values()].flat());
    if (this.options.tools && this.step > 0) yield { type: 'finish-step' };
    yield* ended.results;
    if (this.options.tools) yield { type: 'data-citations', id: 'citations', data: ended.citations };
    if (ended.status === 'failed') yield { type: 'error', errorText: ended.explanation };
    if (ended.status === 'cancelled') yield { type: 'abort', reason: ended.explanation };
    const finishReason = ended.status === 'completed' ? 'stop' : ended.status === 'failed' ? 'error' : 'other';
    yield { type: 'finish', finishReason, messageMetadata: ended.metadata };
  }

  private *toolChunks({ type, data }: LogEvent): Generator<UiChunk> {
    if (type === 'plan.updated') yield { type: 'data-plan', id: 'plan', data: data['items'] };
    if (type === 'approval.requested' || type === 'approval.decided') {
      const { id, toolCallId, status = 'pending', expiresAt } = data;
      yield { type: 'data-approval', id: `approval-${String(id)}`, data: { id, toolCallId, status, expiresAt } };
    }
    const toolCallId = String(data['id']);
    // A client cannot place the result of a call it never saw, because the log lost it.
    if (type !== 'tool.completed' || !this.requested.has(toolCallId)) return;
    if (data['isError'] === true) {
      yield { type: 'tool-output-error', toolCallId, errorText: String(data['digest']) };
      return;
    }
    const output = {
      evidence: Number(data['evidence']),
      digest: String(data['digest']),
      bytes: typeof data['bytes'] === 'number' ? data['bytes'] : null,
      resultUrl: `/api/tool-results/${toolCallId}`,
    };
    yield { type: 'tool-output-available', toolCallId, output };
  }
}
