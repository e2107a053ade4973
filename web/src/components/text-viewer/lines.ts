/**
 * The lines in which a stored text is shown. A line is a slice of the text plus an indent, so offsets stay valid and
 * the slices concatenate to the text. JSON without line breaks is broken at its structure; overlong lines are cut.
 */
import { fits, type Fit } from './json-fit.ts';

export interface Line {
  /** In UTF-16 code units of the stored text, line break included. */
  start: number;
  end: number;
  /** In steps. */
  indent: number;
  /** Line number in the stored text, from 1; undefined for a line that starts inside one. */
  number?: number;
}

const MAX_IN_LINE = 1_000;
const MAX_INDENT = 20;
/** What a stored line starts with if it is JSON and not a log line that starts with a bracket. */
const JSON_START = /^(?:\{\s?["}]|\[\s?[[{"\]])/;

const [QUOTE, BACKSLASH, NEWLINE, COMMA] = [34, 92, 10, 44];
const [SPACE, TAB, RETURN, LETTER_N] = [32, 9, 13, 110];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [123, 125, 91, 93];

const isOpener = (code: number): boolean => code === OPEN_BRACE || code === OPEN_BRACKET;
const isCloser = (code: number): boolean => code === CLOSE_BRACE || code === CLOSE_BRACKET;
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
const isSpace = (code: number): boolean => code === SPACE || code === TAB || code === RETURN;

/** A growable array of numbers, without a copy for each push. */
class Column {
  #values = new Uint32Array(1024);
  length = 0;
  push(value: number): void {
    if (this.length === this.#values.length) {
      const more = new Uint32Array(this.length * 2);
      more.set(this.#values);
      this.#values = more;
    }
    this.#values[this.length++] = value;
  }
  at(index: number): number {
    return this.#values[index] ?? 0;
  }
}

/** Lines of a text that arrives in parts; what is before `end` is final. */
export class Lines {
  readonly #byStructure: boolean;
  readonly #starts = new Column();
  readonly #indents = new Column();
  /** Number of the stored line, 0 inside one. */
  readonly #numbers = new Column();
  #end = 0;
  #at = 0;
  #lineStart = 0;
  #indent = 0;
  #stored = 0;
  #isJson = false;
  #inString = false;
  #depth = 0;
  /** After a comma, an opening bracket or an escaped line break in a string, a new line starts. */
  #breakDue = false;
  #isFresh = true;
  #inlineUntil = 0;
  #isReflowed = false;

  /** @param byStructure false to use only the text's own line breaks */
  constructor(byStructure: boolean) {
    this.#byStructure = byStructure;
  }

  /** Whether a line starts where the text itself has no line break. */
  get isReflowed(): boolean {
    return this.#isReflowed;
  }

  get length(): number {
    return this.#starts.length;
  }

  line(index: number): Line {
    const number = this.#numbers.at(index);
    return {
      start: this.#starts.at(index),
      end: index + 1 < this.length ? this.#starts.at(index + 1) : this.#end,
      indent: this.#indents.at(index),
      ...(number > 0 && { number }),
    };
  }

  /** The line that contains an offset. */
  indexOf(offset: number): number {
    let [low, high] = [0, this.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts.at(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }

  /**
   * Processes appended text.
   * @param text the whole text so far
   * @param isWhole whether the text is complete
   */
  extend(text: string, isWhole: boolean): void {
    this.#end = text.length;
    while (this.#at < text.length) {
      const code = text.charCodeAt(this.#at);
      if (this.#isFresh && !this.#beginStoredLine(text, isWhole)) return;
      if (code === NEWLINE) this.#endStoredLine();
      else {
        if (this.#at - this.#lineStart >= MAX_IN_LINE && !isLowSurrogate(code)) this.#begin(this.#indent);
        if (!this.#isJson) this.#readPlain(text, text.length);
        else if (this.#at < this.#inlineUntil) this.#readPlain(text, this.#inlineUntil);
        else if (!(this.#inString ? this.#readString(text, code, isWhole) : this.#readStructure(text, code, isWhole)))
          return;
      }
    }
  }

  #begin(indent: number, number = 0): void {
    if (this.length > 0 && this.#lineStart === this.#at) return;
    this.#lineStart = this.#at;
    this.#indent = Math.min(indent, MAX_INDENT);
    this.#starts.push(this.#at);
    this.#indents.push(this.#indent);
    this.#numbers.push(number);
  }

  /** @returns false if more text is needed */
  #beginStoredLine(text: string, isWhole: boolean): boolean {
    if (this.#byStructure && !isWhole && text.length - this.#at < 4) return false;
    this.#begin(0, ++this.#stored);
    this.#isFresh = false;
    this.#isJson = this.#byStructure && JSON_START.test(text.slice(this.#at, this.#at + 4));
    return true;
  }

  #endStoredLine(): void {
    this.#at++;
    this.#isFresh = true;
    this.#isJson = this.#inString = this.#breakDue = false;
    this.#depth = this.#inlineUntil = 0;
  }

  /** Reads to the end of the line, of the piece, or to a limit. */
  #readPlain(text: string, limit: number): void {
    const stop = Math.min(text.length, limit, Math.max(this.#lineStart + MAX_IN_LINE, this.#at + 1));
    do this.#at++;
    while (this.#at < stop && text.charCodeAt(this.#at) !== NEWLINE);
  }

  /** @returns false if more text is needed */
  #readString(text: string, code: number, isWhole: boolean): boolean {
    if (this.#breakDue && code !== QUOTE) this.#begin(this.#depth + 1);
    this.#breakDue = false;
    if (code === QUOTE) this.#inString = false;
    else if (code === BACKSLASH) {
      if (this.#at + 1 >= text.length && !isWhole) return false;
      const escaped = text.charCodeAt(this.#at + 1);
      this.#breakDue = escaped === LETTER_N;
      if (escaped !== NEWLINE) this.#at++;
    }
    this.#at++;
    return true;
  }

  /** @returns false if more text is needed */
  #readStructure(text: string, code: number, isWhole: boolean): boolean {
    if (isSpace(code)) {
      this.#at++;
      return true;
    }
    const fit: Fit = isOpener(code) ? fits(text, this.#at, isWhole) : { end: undefined };
    if (fit.isUnknown === true) return false;
    if (isCloser(code)) this.#depth = Math.max(this.#depth - 1, 0);
    if (this.#breakDue || isCloser(code)) {
      this.#begin(this.#depth);
      this.#isReflowed = true;
    }
    this.#breakDue = false;
    if (fit.end !== undefined) this.#inlineUntil = fit.end;
    else if (isOpener(code)) {
      this.#depth++;
      this.#breakDue = true;
    } else if (code === COMMA) this.#breakDue = true;
    else if (code === QUOTE) this.#inString = true;
    this.#at++;
    return true;
  }
}
