/**
 * The words of a message while they come: what attempts of model turns say, and what a client has been shown of it. An
 * attempt that begins a turn again takes nothing back as long as it says the same; once it differs, the client is told
 * to drop what it has of the turn. So no text is doubled, and a turn that is repeated word by word shows no seam.
 */
import { SpokenDigest, type SpokenPart } from '../../runs/index.ts';
import type { TextKind, UiChunk } from './chunks.ts';
import { kindOf, MessageDigest, separatorBefore } from './message-text.ts';

export interface SpeechOptions {
  /** The stream has `start-step` chunks, so that a reset takes back one step; otherwise it takes back the message. */
  steps: boolean;
  /** See {@link Speech.forgetWords}. */
  keepsWords: boolean;
}

/** Characters of a delta at most; words that are read back come in one piece, and may be megabytes. */
const MOST_DELTA = 16_000;

export class Speech {
  private readonly options: SpeechOptions;
  /** Of steps that are complete. */
  private done: SpokenPart[] = [];
  /** What the present attempt has said. */
  private said: SpokenPart[] = [];
  /** What the client has been shown of the present step. */
  private shown: SpokenPart[] = [];
  /** The last stretch of `said` is over: what comes next is a new one. */
  private broken = true;
  /** The last stretch of `shown` has been closed. */
  private closed = true;
  /** The attempt repeats what an earlier one said, and has not come to its end yet. */
  private behind = false;
  /** The first part of which the attempt says something else than is shown, as far as it was said. */
  private differing = Number.POSITIVE_INFINITY;
  private parts = 0;
  private keeps: boolean;
  private saidDigest = new SpokenDigest();
  /** Of `done`. */
  private doneDigest = new MessageDigest();
  /** Of `done` and `said`. */
  private digest = new MessageDigest();

  constructor(options: SpeechOptions) {
    this.options = options;
    this.keeps = options.keepsWords;
  }

  /** The `textDigest` of everything said in complete steps. */
  get spoken(): string {
    return this.doneDigest.value();
  }

  /** The `spokenDigest` of what the present attempt has said in the present step. */
  get present(): string {
    return this.saidDigest.value();
  }

  /** The client has been shown something of the present step. */
  get isShowing(): boolean {
    return this.shown.length > 0;
  }

  /** An attempt repeats what an earlier one said, and may come to differ from it. */
  get isBehind(): boolean {
    return this.behind;
  }

  get keepsWords(): boolean {
    return this.keeps;
  }

  /** Characters that are kept. */
  get size(): number {
    return [...this.done, ...this.said, ...this.shown].reduce((sum, { text }) => sum + text.length, 0);
  }

  /**
   * From here on the parts are known by their kinds and digests alone. That is enough while no attempt is behind, and no
   * step in which something was shown is begun again or given up.
   */
  forgetWords(): void {
    this.keeps = false;
    for (const part of [...this.done, ...this.said, ...this.shown]) part.text = '';
  }

  /** Another attempt of the step begins. */
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

  /** A tool call comes: the stretch of text before it is over. */
  *pause(): Generator<UiChunk> {
    this.broken = true;
    if (this.behind) yield* this.catchUp(false);
    if (!this.behind) yield* this.close();
  }

  /**
   * The step is complete with these parts, which are what is stored.
   * @param stored absent when the attempt's own words are known to be it
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
    // Where steps are marked, none but the present one is said again.
    const kept = (text: string): string => (this.options.steps ? '' : this.kept(text));
    this.done.push(...this.said.map(({ kind, text }) => ({ kind, text: kept(text) })));
    this.doneDigest = this.digest;
    this.hearNothing();
    this.shown = [];
    this.broken = true;
    this.behind = false;
  }

  /** The message is over: words of a step that never became complete are taken back. */
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

  /** Takes back, without a look at the words, the present step where steps are marked, and else everything. */
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
    // Of what is shown from here on everything is known again.
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

  /** Brings what is shown in line with what is said. @param final nothing more will be said */
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
   * Compares a piece of the attempt with what is shown in its place: each piece once, however many follow.
   * @param at where in the part it begins
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
      // A stretch that was closed can only be met by one that is over as well.
      // As far as both go they are the same.
      if (said.text.length === text.length && (over || !isLast || !this.closed)) continue;
      if (isLast && !this.closed && said.text.length >= text.length) continue;
      if (text.length >= said.text.length && !over) return 'waits';
      return 'differs';
    }
    return 'continues';
  }

  /** Without steps in the stream a reset took the whole message: its earlier part is said again. */
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

  /** @param before goes with the first piece: put before the whole, it would make a copy of it for each who follows */
  private *deltas(type: TextKind, text: string, before = ''): Generator<UiChunk> {
    for (let from = 0, to: number; from < text.length; from = to) {
      to = from + MOST_DELTA;
      // No character is cut in two.
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
