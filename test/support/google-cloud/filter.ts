/**
 * The filter language of Cloud Logging and Cloud Monitoring, as far as documented: comparisons of fields, functions,
 * global restrictions, NOT, OR (which binds more tightly than AND), AND (also unwritten), parentheses.
 */
import { GoogleRefusal } from './refusal.ts';

type Row = Record<string, unknown>;
type Condition = (row: Row) => boolean;
interface Token {
  kind: 'text' | 'word' | 'sign';
  value: string;
  at: number;
}

const TOKENS = /\s+|"(?<text>(?:[^"\\]|\\.)*)"|(?<sign><=|>=|!=|=~|!~|[-():=<>,.])|(?<word>[^\s"():=<>!,.~]+)/gsu;
const SEVERITIES = 'DEFAULT DEBUG INFO NOTICE WARNING ERROR CRITICAL ALERT EMERGENCY'.split(' ');

function tokensOf(filter: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (const match of filter.matchAll(TOKENS)) {
    if (match.index !== at) throw unparseable(at, filter[at]!);
    at += match[0].length;
    const { text, sign, word } = match.groups!;
    if (text !== undefined) tokens.push({ kind: 'text', value: unescape(text), at: match.index });
    else if (sign !== undefined) tokens.push({ kind: 'sign', value: sign, at: match.index });
    else if (word !== undefined) tokens.push({ kind: 'word', value: word, at: match.index });
  }
  if (at !== filter.length) throw unparseable(at, filter[at]!);
  return tokens;
}

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', a: '\u0007' };

function unescape(text: string): string {
  return text.replaceAll(/\\(?:u(?<code>[0-9a-fA-F]{4})|(?<one>.))/gsu, (_, code?: string, one?: string) =>
    code === undefined ? (ESCAPES[one!] ?? one!) : String.fromCodePoint(Number.parseInt(code, 16)),
  );
}

const unparseable = (at: number, token: string) =>
  new GoogleRefusal(
    400,
    'INVALID_ARGUMENT',
    `Unparseable filter: syntax error at line 1, column ${at + 1}, token '${token}'`,
  );

/** Compiles a filter; an empty one matches everything. @throws {GoogleRefusal} as the API does */
export function compileFilter(filter: string, { fields }: { fields: readonly string[] }): Condition {
  const tokens = tokensOf(filter);
  let next = 0;
  const peek = (): Token | undefined => tokens[next];
  const is = (value: string, kind: Token['kind'] = 'sign'): boolean => peek()?.kind === kind && peek()!.value === value;
  const fail = (): never => {
    throw unparseable(peek()?.at ?? filter.length, peek()?.value ?? '<EOF>');
  };
  const take = (...kinds: Token['kind'][]): string => {
    const token = peek();
    if (!token || !kinds.includes(token.kind)) return fail();
    next += 1;
    return token.value;
  };
  const expect = (sign: string): void => void (is(sign) ? (next += 1) : fail());

  const conjunction = (): Condition => {
    const parts = [disjunction()];
    while (peek() && !is(')')) {
      if (is('AND', 'word')) next += 1;
      parts.push(disjunction());
    }
    return (row) => parts.every((part) => part(row));
  };
  const disjunction = (): Condition => {
    const parts = [negation()];
    while (is('OR', 'word')) {
      next += 1;
      parts.push(negation());
    }
    return (row) => parts.some((part) => part(row));
  };
  const negation = (): Condition => {
    if (!is('NOT', 'word') && !is('-')) return primary();
    next += 1;
    const inner = negation();
    return (row) => !inner(row);
  };
  const primary = (): Condition => {
    if (is('(')) {
      next += 1;
      const inner = conjunction();
      expect(')');
      return inner;
    }
    const token = peek();
    if (token?.kind === 'text') {
      next += 1;
      const words = token.value.toLowerCase();
      return (row) => stringsIn(row).some((text) => text.toLowerCase().includes(words));
    }
    const path = [take('word')];
    if (path[0] === 'log_id' && is('(')) {
      next += 1;
      const id = encodeURIComponent(take('text'));
      expect(')');
      return ({ logName }) => String(logName).endsWith(`/logs/${id}`);
    }
    while (is('.')) {
      next += 1;
      path.push(take('word', 'text'));
    }
    if (!fields.includes(path[0]!)) fail();
    const sign = take('sign');
    if (!['=', '!=', '>', '>=', '<', '<=', ':', '=~', '!~'].includes(sign)) fail();
    let value = take('text', 'word');
    // A number with a fraction, or a bare word with a dot.
    while (is('.')) {
      next += 1;
      value += `.${take('word')}`;
    }
    if ((value === 'starts_with' || value === 'has_substring') && is('(')) {
      next += 1;
      const part = take('text');
      expect(')');
      const test = value === 'starts_with' ? 'startsWith' : 'includes';
      return (row) => textOf(valueAt(row, path))[test](part);
    }
    return (row) => compares(path[0]!, valueAt(row, path), sign, value);
  };

  if (tokens.length === 0) return () => true;
  const condition = conjunction();
  return peek() ? fail() : condition;
}

function valueAt(row: Row, path: readonly string[]): unknown {
  return path.reduce<unknown>((of, member) => (of as Row | undefined)?.[member], row);
}

function compares(name: string, found: unknown, sign: string, wanted: string): boolean {
  if (found === undefined) return false;
  const text = textOf(found);
  if (sign === '=~' || sign === '!~') return new RegExp(wanted, 'u').test(text) === (sign === '=~');
  if (sign === ':') return text.toLowerCase().includes(wanted.toLowerCase());
  if (sign === '=' || sign === '!=') return (text.toLowerCase() === wanted.toLowerCase()) === (sign === '=');
  const [a, b] = [text, wanted].map((value) => {
    if (name === 'severity') return SEVERITIES.indexOf(value);
    return name === 'timestamp' ? Date.parse(value) : Number(value);
  });
  if (sign === '>') return a! > b!;
  if (sign === '>=') return a! >= b!;
  return sign === '<' ? a! < b! : a! <= b!;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
