/**
 * Reads JSON member by member. `JSON.parse` would allocate an object for every `{}`, so a request of a few MiB could
 * take hundreds of MiB. This reader allocates nothing for what it skips, and validates skipped values only as far as
 * needed to find their end.
 */
export type Members<Into> = ReadonlyMap<string, (json: JsonReader, into: Into) => void>;

/** The members of an object that are read. A Map, because a property of that name would be looked up among all strings. */
export const members = <Into>(known: Record<string, (json: JsonReader, into: Into) => void>): Members<Into> =>
  new Map(Object.entries(known));

const LITERAL = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy;

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

export class JsonReader {
  readonly #text: string;
  /** The current position; saving it allows reading a skipped value later. */
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads the known members of an object and skips the others. @throws SyntaxError when there is no object */
  object<Into>(known: Members<Into>, into: Into): Into {
    this.#expect('{');
    if (this.#takes('}')) return into;
    do {
      const key = this.#key();
      this.#expect(':');
      const read = known.get(key);
      if (read) read(this, into);
      else this.skip();
    } while (this.#takes(','));
    this.#expect('}');
    return into;
  }

  /** Like `object`, but accepts null as an empty object. */
  optionalObject<Into>(known: Members<Into>, into: Into): Into {
    return this.#takesNull() ? into : this.object(known, into);
  }

  /** Reads the items of a list; null is an empty one. @throws SyntaxError when there is no list */
  list(item: () => void): void {
    if (this.#takesNull()) return;
    this.#expect('[');
    if (this.#takes(']')) return;
    do item();
    while (this.#takes(','));
    this.#expect(']');
  }

  /** A string, number, boolean or null; undefined for an object or a list, which is skipped. */
  scalar(): unknown {
    const next = this.#next();
    if (next === '"') return this.#string();
    if (next !== '{' && next !== '[') return JSON.parse(this.#literal());
    this.skip();
    return undefined;
  }

  skip(): void {
    let depth = 0;
    do {
      const next = this.#next();
      if (next === '"') this.at = this.#endOfString();
      else if (next === '{' || next === '[') depth += 1;
      else if (next === '}' || next === ']') depth -= 1;
      else if (depth === 0 || (next !== ',' && next !== ':')) this.#literal();
      if (depth < 0) throw this.#unexpected();
      if ('{[}],:'.includes(next)) this.at += 1;
    } while (depth > 0);
  }

  /** @throws SyntaxError when more text follows */
  end(): void {
    if (this.#next() !== '') throw this.#unexpected();
  }

  /** The next non-space character; empty at the end. */
  #next(): string {
    while (isSpace(this.#text.charCodeAt(this.at))) this.at += 1;
    return this.#text.charAt(this.at);
  }

  #takes(character: string): boolean {
    if (this.#next() !== character) return false;
    this.at += 1;
    return true;
  }

  #takesNull(): boolean {
    if (this.#next() !== 'n') return false;
    this.#literal();
    return true;
  }

  #expect(character: string): void {
    if (!this.#takes(character)) throw this.#unexpected();
  }

  /** Only compared, so a slice of the text does. */
  #key(): string {
    const quoted = this.#quoted();
    return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
  }

  /** A copy: a slice would keep the whole request in memory. */
  #string(): string {
    return String(JSON.parse(this.#quoted()));
  }

  #quoted(): string {
    if (this.#next() !== '"') throw this.#unexpected();
    const start = this.at;
    this.at = this.#endOfString();
    return this.#text.slice(start, this.at);
  }

  #endOfString(): number {
    for (let end = this.at; ;) {
      end = this.#text.indexOf('"', end + 1);
      if (end < 0) throw this.#unexpected();
      let escapes = 0;
      while (this.#text[end - 1 - escapes] === '\\') escapes += 1;
      if (escapes % 2 === 0) return end + 1;
    }
  }

  #literal(): string {
    LITERAL.lastIndex = this.at;
    const found = LITERAL.exec(this.#text)?.[0];
    if (found === undefined) throw this.#unexpected();
    this.at += found.length;
    return found;
  }

  #unexpected(): SyntaxError {
    const what = this.at < this.#text.length ? JSON.stringify(this.#text[this.at]) : 'end';
    return new SyntaxError(`Unexpected ${what} at position ${this.at}.`);
  }
}
