/** Converts values to the text people type, and back. */
import type { ValueField } from './field-types.ts';
import { isObject, type Json } from './json.ts';

export type TextKind = 'text' | 'multiline' | 'code' | 'number' | 'lines' | 'labels' | 'json' | 'scalar';

interface Reader {
  /** The typed text as a value; undefined if empty. Unreadable text stays text. */
  read: (text: string, field: Pick<ValueField, 'standard'>) => Json | undefined;
  show: (value: Json | undefined) => string;
  /** Whether it may span several lines. */
  isLong?: true;
}

const asText = (value: Json | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

const numberIn = (text: string): number | undefined => {
  const trimmed = text.trim();
  const number = Number(trimmed);
  return trimmed !== '' && Number.isFinite(number) ? number : undefined;
};

/** A required field's default is never removed, so that the field stays. */
const words: Reader = {
  read: (text, { standard }) => (text === '' && standard === undefined ? undefined : text),
  show: asText,
};

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** `name=value`; a line without `=` is a name whose value is still missing. */
function labelsIn(text: string): Json | undefined {
  const pairs = lines(text).map((line): [string, string] => {
    const at = line.indexOf('=');
    return at === -1 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

function jsonIn(text: string): Json | undefined {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whatever is parsed is JSON
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

export const readers: Record<TextKind, Reader> = {
  text: words,
  multiline: { ...words, isLong: true },
  code: { ...words, isLong: true },
  number: {
    read: (text) => (text.trim() === '' ? undefined : (numberIn(text) ?? text)),
    show: asText,
  },
  lines: {
    read: (text) => (lines(text).length === 0 ? undefined : lines(text)),
    show: (value) => (Array.isArray(value) ? value.map(asText).join('\n') : asText(value)),
    isLong: true,
  },
  labels: {
    read: labelsIn,
    show: (value) =>
      isObject(value)
        ? Object.entries(value)
            .map(([name, inner]) => `${name}=${asText(inner)}`)
            .join('\n')
        : asText(value),
    isLong: true,
  },
  json: {
    read: (text) => (text.trim() === '' ? undefined : (jsonIn(text) ?? text)),
    show: (value) =>
      value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, undefined, 2),
    isLong: true,
  },
  scalar: {
    read: (text) => {
      const value = numberIn(text) ?? jsonIn(text);
      return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string' ? value : text;
    },
    // Quote what would otherwise be read as something else.
    show: (value) => {
      if (typeof value !== 'string') return asText(value);
      return readers.scalar.read(value, {}) === value ? value : JSON.stringify(value);
    },
  },
};
