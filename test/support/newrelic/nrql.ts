/**
 * The part of NRQL that tests use: events or aggregates of event types, by conditions, over a window
 * (https://docs.newrelic.com/docs/nrql/nrql-syntax-clauses-functions). Whatever it cannot read is a syntax error, as with
 * New Relic, so that a value that leaves its quotes shows.
 */

export type Event = Record<string, unknown> & { timestamp: number };

/** Events by type. */
export type Events = Record<string, Event[]>;

export class NrqlError extends Error {}

type Condition = (event: Event) => boolean;
type Value = (event: Event) => unknown;

interface Column {
  name: string;
  /** Of an aggregate. */
  of?(events: Event[]): unknown;
}

const TOKEN = /\s*(?:(?<text>'(?:[^'\\]|\\.)*')|(?<word>[\w.]+|`[^`]+`)|(?<sign>!=|>=|<=|[=<>(),*]))/suy;
const BUCKETS = 10;

/** @throws {NrqlError} */
export function runNrql(query: string, data: Events) {
  return new Parser(query).parse(data);
}

/** Rows as New Relic gives them: without what they do not have. */
function picked(event: Event, columns: Column[]): Record<string, unknown> {
  if (columns.some(({ name }) => name === '*')) return event;
  const names = ['timestamp', ...columns.map(({ name }) => name)];
  return Object.fromEntries(names.filter((name) => name in event).map((name) => [name, event[name]]));
}

interface Group {
  key: Record<string, unknown>;
  within: Event[];
}

function byFacet(events: Event[], name: string): Group[] {
  const groups = Map.groupBy(events, (event) => event[name]);
  return [...groups]
    .map(([value, within]) => ({ key: { [name]: value, facet: value }, within }))
    .sort((a, b) => b.within.length - a.within.length);
}

function buckets(events: Event[], since: number, until: number): Group[] {
  const step = (until - since) / BUCKETS;
  return Array.from({ length: BUCKETS }, (_, index) => {
    const [from, to] = [since + index * step, since + (index + 1) * step];
    const within = events.filter(({ timestamp }) => timestamp >= from && timestamp < to);
    return { key: { beginTimeSeconds: from / 1_000, endTimeSeconds: to / 1_000 }, within };
  });
}

class Parser {
  readonly #tokens: string[] = [];
  readonly #query: string;
  #at = 0;

  constructor(query: string) {
    this.#query = query;
    TOKEN.lastIndex = 0;
    const end = query.trimEnd().length;
    while (TOKEN.lastIndex < end) {
      const start = TOKEN.lastIndex;
      const [, text, word, sign] = TOKEN.exec(query) ?? [];
      const token = text ?? word ?? sign;
      if (token === undefined) throw this.#error(query.slice(start, start + 10), start);
      this.#tokens.push(token);
    }
  }

  parse(data: Events) {
    let columns: Column[] | undefined;
    let types: string[] | undefined;
    let condition: Condition = () => true;
    let facet: string | undefined;
    let [since, until, limit, ascending] = [0, Number.MAX_SAFE_INTEGER, 100, false];
    let timeseries = false;
    const seen = new Set<string>();
    while (this.#at < this.#tokens.length) {
      const clause = this.#next().toUpperCase();
      if (seen.has(clause)) throw this.#error(clause);
      seen.add(clause);
      if (clause === 'SELECT') columns = this.#list(() => this.#column());
      else if (clause === 'FROM') types = this.#list(() => this.#name());
      else if (clause === 'WHERE') condition = this.#or();
      else if (clause === 'SINCE') since = this.#number();
      else if (clause === 'UNTIL') until = this.#number();
      else if (clause === 'LIMIT') limit = this.#isNext('MAX') ? 5_000 : this.#number();
      else if (clause === 'FACET') facet = this.#name();
      else if (clause === 'TIMESERIES') timeseries = true;
      else if (clause === 'ORDER') {
        this.#expect('BY');
        this.#expect('timestamp');
        ascending = !this.#isNext('DESC');
      } else throw this.#error(clause);
    }
    if (!columns || !types) throw this.#error('end of query');
    if (since >= until) throw new NrqlError('The start time of the query must be before its end time.');
    const events = types
      .flatMap((type) => data[type] ?? [])
      .filter((event) => event.timestamp >= since && event.timestamp < until && condition(event))
      .sort((a, b) => (ascending ? a.timestamp - b.timestamp : b.timestamp - a.timestamp));
    const isRaw = columns.every(({ of }) => of === undefined);
    if (isRaw && (facet !== undefined || timeseries))
      throw new NrqlError('NRQL Syntax Error: FACET and TIMESERIES are not supported on events.');
    if (isRaw) return { types, facets: [], results: events.slice(0, limit).map((event) => picked(event, columns)) };
    const groups =
      facet !== undefined
        ? byFacet(events, facet).slice(0, limit)
        : timeseries
          ? buckets(events, since, until)
          : [{ key: {}, within: events }];
    const aggregates = (some: Event[]) => Object.fromEntries(columns.map(({ name, of }) => [name, of?.(some)]));
    return {
      types,
      facets: facet === undefined ? [] : [facet],
      results: groups.map(({ key, within }) => ({ ...key, ...aggregates(within) })),
    };
  }

  #column(): Column {
    if (this.#isNext('*')) return { name: '*' };
    const name = this.#name();
    if (!this.#isNext('(')) return { name };
    const of = this.#isNext('*') ? undefined : this.#name();
    this.#expect(')');
    if (this.#isNext('AS')) this.#next();
    if (name === 'count') return { name: 'count', of: (events) => events.length };
    if (name !== 'average' || of === undefined) throw new NrqlError(`Unknown function ${name}()`);
    return {
      name: `average.${of}`,
      of: (events) => events.reduce((sum, event) => sum + Number(event[of]), 0) / (events.length || 1),
    };
  }

  #or(): Condition {
    const [first, ...others] = this.#separated('OR', () => this.#separated('AND', () => this.#comparison()));
    const all = [first!, ...others];
    return (event) => all.some((parts) => parts.every((part) => part(event)));
  }

  #comparison(): Condition {
    if (this.#isNext('(')) {
      const inner = this.#or();
      this.#expect(')');
      return inner;
    }
    const value = this.#value();
    const operator = this.#next().toUpperCase();
    if (operator === '=' || operator === '!=') {
      const wanted = this.#literal();
      return (event) => (value(event) === wanted) === (operator === '=');
    }
    if (operator === 'IN') {
      this.#expect('(');
      const wanted = this.#list(() => this.#literal());
      this.#expect(')');
      return (event) => wanted.includes(value(event));
    }
    if (operator !== 'LIKE') throw this.#error(operator);
    const parts = String(this.#literal())
      .split('%')
      .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`));
    const pattern = new RegExp(`^${parts.join('.*')}$`, 'su');
    return (event) => {
      const text = value(event);
      return typeof text === 'string' && pattern.test(text);
    };
  }

  #value(): Value {
    const name = this.#name();
    if (!this.#isNext('(')) return (event) => event[name];
    const of = this.#name();
    this.#expect(')');
    if (name !== 'lower') throw new NrqlError(`Unknown function ${name}()`);
    return (event) => (typeof event[of] === 'string' ? event[of].toLowerCase() : event[of]);
  }

  #literal(): unknown {
    const token = this.#next();
    if (token.startsWith("'")) return token.slice(1, -1).replaceAll(/\\(.)/gsu, '$1');
    if (/^\d+$/u.test(token)) return Number(token);
    throw this.#error(token);
  }

  #number(): number {
    const token = this.#next();
    if (!/^\d+$/u.test(token)) throw this.#error(token);
    return Number(token);
  }

  #name(): string {
    const token = this.#next();
    if (!/^[\w.`]/u.test(token)) throw this.#error(token);
    return token.replaceAll('`', '');
  }

  #list<Item>(item: () => Item): Item[] {
    return this.#separated(',', item);
  }

  #separated<Item>(separator: string, item: () => Item): Item[] {
    const items = [item()];
    while (this.#isNext(separator)) items.push(item());
    return items;
  }

  #isNext(word: string): boolean {
    const isIt = this.#tokens[this.#at]?.toUpperCase() === word.toUpperCase();
    if (isIt) this.#at += 1;
    return isIt;
  }

  #expect(word: string): void {
    if (!this.#isNext(word)) throw this.#error(this.#tokens[this.#at] ?? 'end of query');
  }

  #next(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw this.#error('end of query');
    return token;
  }

  #error(what: string, position = this.#query.indexOf(what)): NrqlError {
    return new NrqlError(`NRQL Syntax Error: Error at line 1 position ${position + 1}, unexpected '${what}'`);
  }
}
