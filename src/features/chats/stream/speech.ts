/**
 * The words of a message as they arrive: what attempts of model turns say, and what a client has been shown. A new
 * attempt at a turn retracts nothing as long as it says the same; once it differs, the client is told to drop the
 * turn's text. No text is doubled, and a turn repeated word for word shows no seam.
 */
import { SpokenDigest, type SpokenPart } from '../../runs/index.ts';
import type { TextKind, UiChunk } from './chunks.ts';
import { kindOf, MessageDigest, separatorBefore } from './message-text.ts';

interface SpeechOptions {
  /** The stream has `start-step` chunks, so a reset retracts one step; otherwise it retracts the message. */
  steps: boolean;
  /** See {@link Speech.forgetWords}. */
  keepsWords: boolean;
}

/** Maximum characters of a delta; re-read text comes in one piece and may be megabytes. */
const MAX_DELTA = 16_000;

export class Speech {
  private readonly options: SpeechOptions;
  /** Parts of completed steps. */
  private done: SpokenPart[] = [];
  /** What the current attempt has said. */
  private said: SpokenPart[] = [];
  /** What the client has been shown of the current step. */
  private shown: SpokenPart[] = [];
  /** The last stretch of `said` has ended: the next piece starts a new one. */
  private broken = true;
  /** The last stretch of `shown` has been closed. */
  private closed = true;
  /** The attempt repeats an earlier one and has not caught up yet. */
  private behind = false;
  /** The first part in which the attempt differs from what is shown, as far as it has come. */
  private differing = Number.POSITIVE_INFINITY;
  private parts = 0;
  private keeps: boolean;
  private saidDigest = new SpokenDigest();
  /** Digest state of `done`. */
  private doneDigest = new MessageDigest();
  /** Digest state of `done` and `said`. */
  private digest = new MessageDigest();

  constructor(options: SpeechOptions) {
    this.options = options;
    this.keeps = options.keepsWords;
  }

  /** The `textDigest` of everything said in completed steps. */
  get spoken(): string {
    return this.doneDigest.value();
  }

  /** The `spokenDigest` of what the current attempt has said in this step. */
  get present(): string {
    return this.saidDigest.value();
  }

  /** The client has been shown something of the current step. */
  get isShowing(): boolean {
    return this.shown.length > 0;
  }

  /** An attempt repeats an earlier one and may still differ from it. */
  get isBehind(): boolean {
    return this.behind;
  }

  get keepsWords(): boolean {
    return this.keeps;
  }

  /** Characters kept. */
  get size(): number {
    return [...this.done, ...this.said, ...this.shown].reduce((sum, { text }) => sum + text.length, 0);
  }

  /**
   * From here on parts are known only by kind and digest. That suffices while no attempt is behind and no step that was
   * shown is restarted or given up.
   */
  forgetWords(): void {
    this.keeps = false;
    for (const part of [...this.done, ...this.said, ...this.shown]) part.text = '';
  }

  /** Starts another attempt of the step. */
  beginAttempt(): void {
    this.hearNothing();
    this.broken = true;
    this.behind = this.shown.length > 0;
  }

  *say(kind: SpokenPart['kind'], text: string): Generator<UiChunk> {
    if (text === '') return;
    const last = this.said.at(-1);
    const begins = !last || this.broken || last.kind !== kind;
    if (this.behind) this.meet(begins ? this.said.length : this.said.length - 1, begins ? 0 : last.text.length, text);
    if (begins) this.said.push({ kind, text: this.kept(text) });
    else last.text += this.kept(text);
    this.saidDigest.add(kind, text, begins);
    this.digest.add({ kind, text }, begins);
    this.broken = false;
    if (this.behind) yield* this.catchUp(false);
    else yield* this.show(kind, text, this.said.length > this.shown.length);
  }

  /** A tool call follows, so the current stretch of text has ended. */
  *pause(): Generator<UiChunk> {
    this.broken = true;
    if (this.behind) yield* this.catchUp(false);
    if (!this.behind) yield* this.close();
  }

  /**
   * Completes the step with these parts, which are what is stored.
   * @param stored absent if the attempt's own words are known to equal them
   */
  *complete(stored?: readonly SpokenPart[]): Generator<UiChunk> {
    if (stored) {
      this.hearNothing();
      this.said = stored.map((part) => ({ ...part }));
      for (const [index, part] of stored.entries()) this.meet(index, 0, part.text);
      for (const part of stored) this.digest.add(part, true);
    }
    yield* this.catchUp(true);
    yield* this.close();
    // If steps are marked, only the current one can be said again.
    const kept = (text: string): string => (this.options.steps ? '' : this.kept(text));
    this.done.push(...this.said.map(({ kind, text }) => ({ kind, text: kept(text) })));
    this.doneDigest = this.digest;
    this.hearNothing();
    this.shown = [];
    this.broken = true;
    this.behind = false;
  }

  /** Ends the message: text of a step that never completed is taken back. */
  *end(): Generator<UiChunk> {
    if (this.shown.length === 0) return;
    this.hearNothing();
    yield* this.catchUp(true);
  }

  /** Takes everything back and says what is stored. */
  *replace(stored: readonly SpokenPart[]): Generator<UiChunk> {
    yield* this.takeBack();
    yield* this.complete(stored);
  }

  /** Takes back the current step if steps are marked, otherwise everything, without comparing. */
  *takeBack(): Generator<UiChunk> {
    yield { type: 'reset-step' };
    if (!this.options.steps) {
      this.done = [];
      this.doneDigest = new MessageDigest();
    }
    this.shown = [];
    this.closed = true;
    this.behind = false;
    this.hearNothing();
    this.broken = true;
    // Everything shown from here on is known again.
    this.keeps = true;
  }

  private hearNothing(): void {
    this.said = [];
    this.differing = Number.POSITIVE_INFINITY;
    this.saidDigest = new SpokenDigest();
    this.digest = new MessageDigest(this.doneDigest);
  }

  private kept(text: string): string {
    return this.keeps ? text : '';
  }

  /** Brings what is shown in line with what is said. @param final whether nothing more will be said */
  private *catchUp(final: boolean): Generator<UiChunk> {
    const meeting = this.compare(final);
    if (meeting === 'waits') return;
    if (meeting === 'differs') {
      yield { type: 'reset-step' };
      this.shown = [];
      this.differing = Number.POSITIVE_INFINITY;
      this.closed = true;
      if (!this.options.steps) yield* this.again();
    }
    const from = this.shown.length;
    const last = this.shown.at(-1);
    const same = this.said[from - 1];
    if (last && same && same.text.length > last.text.length) {
      yield* this.show(same.kind, same.text.slice(last.text.length), false);
    }
    yield* this.showWhole(this.said.slice(Math.max(from, 0)));
    this.behind = false;
  }

  /**
   * Compares a piece of the attempt with what is shown in its place, each piece once.
   * @param at its offset in the part
   */
  private meet(index: number, at: number, piece: string): void {
    const shown = this.shown[index]?.text ?? '';
    const both = Math.min(piece.length, shown.length - at);
    if (both <= 0) return;
    const isSame = both === piece.length ? shown.startsWith(piece, at) : shown.endsWith(piece.slice(0, both));
    if (!isSame) this.differing = Math.min(this.differing, index);
  }

  private compare(final: boolean): 'continues' | 'waits' | 'differs' {
    for (const [index, { kind, text }] of this.shown.entries()) {
      const said = this.said[index];
      if (!said) return final ? 'differs' : 'waits';
      if (index >= this.differing) return 'differs';
      const isLast = index === this.shown.length - 1;
      const over = index < this.said.length - 1 || this.broken || final;
      if (said.kind !== kind) return 'differs';
      // A closed stretch can only be matched by one that is over too. As far as both go, they are equal.
      if (said.text.length === text.length && (over || !isLast || !this.closed)) continue;
      if (isLast && !this.closed && said.text.length >= text.length) continue;
      if (text.length >= said.text.length && !over) return 'waits';
      return 'differs';
    }
    return 'continues';
  }

  /** Without steps in the stream a reset took back the whole message, so its earlier part is said again. */
  private *again(): Generator<UiChunk> {
    const { done } = this;
    this.done = [];
    yield* this.showWhole(done);
    yield* this.close();
    this.done = done;
    this.shown = [];
  }

  private *showWhole(parts: readonly SpokenPart[]): Generator<UiChunk> {
    for (const [index, { kind, text }] of parts.entries()) {
      yield* this.show(kind, text, true);
      if (index < parts.length - 1) yield* this.close();
    }
  }

  private *show(kind: SpokenPart['kind'], text: string, begins: boolean): Generator<UiChunk> {
    const type = kindOf({ kind, text });
    if (begins) {
      yield* this.close();
      const separator = separatorBefore(type, [...this.done, ...this.shown]);
      this.parts += 1;
      this.closed = false;
      this.shown.push({ kind, text: this.kept(text) });
      yield { type: `${type}-start`, id: this.partId };
      yield* this.deltas(type, text, separator);
      return;
    }
    const last = this.shown.at(-1);
    if (last) last.text += this.kept(text);
    yield* this.deltas(type, text);
  }

  /** @param before is sent with the first piece: prepending it to the whole would copy the whole for each follower */
  private *deltas(type: TextKind, text: string, before = ''): Generator<UiChunk> {
    for (let from = 0, to: number; from < text.length; from = to) {
      to = from + MAX_DELTA;
      // Do not split a surrogate pair.
      if (to < text.length && text.codePointAt(to - 1)! > 0xff_ff) to -= 1;
      yield { type: `${type}-delta`, id: this.partId, delta: (from === 0 ? before : '') + text.slice(from, to) };
    }
  }

  private *close(): Generator<UiChunk> {
    const last = this.shown.at(-1);
    if (this.closed || !last) return;
    this.closed = true;
    yield { type: `${kindOf(last)}-end`, id: this.partId };
  }

  private get partId(): string {
    return `part-${this.parts}`;
  }
}
