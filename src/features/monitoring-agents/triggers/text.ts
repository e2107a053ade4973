/** Texts from outside, made fit to be stored and shown. */
import { storableText } from '../../../platform/storable.ts';

/** The text with at most `most` characters; what was cut ends with an ellipsis. */
export function clip(text: string, most: number): string {
  const storable = storableText(text).trim();
  if (storable.length <= most) return storable;
  // A pair of surrogates that the cut would part goes as a whole.
  return `${storable.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** One line of at most `most` characters, without control characters. */
export const line = (text: string, most: number): string => clip(text.replaceAll(/[\p{Cc}\s]+/gu, ' '), most);

/** What tools send for a value that they do not have. */
const NOTHING = /^(|null|none|n\/a|undefined|\$[A-Z_]+)$/i;

/** A value as text; undefined for what is no value. */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string')
    return typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined;
  return NOTHING.test(value.trim()) ? undefined : value;
}

/** The first of the values that is a text. */
export const firstText = (...values: unknown[]): string | undefined => values.map(textOf).find((text) => text);

/** The values of an object without prototype games: own members only. */
export const member = (object: unknown, name: string): unknown =>
  typeof object === 'object' && object !== null ? Object.getOwnPropertyDescriptor(object, name)?.value : undefined;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const EARLIEST = Date.UTC(2000, 0);
const LATEST = Date.UTC(2100, 0);

/**
 * A moment as tools write it (ISO 8601, or seconds or milliseconds since 1970, also as text), in unix milliseconds.
 * Undefined for what is none, and outside of 2000 to 2100: the year 1 stands for "not known" in Go.
 */
export function momentOf(value: unknown): number | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  const number = Number(text);
  const at = Number.isFinite(number) ? (Math.abs(number) < 1e11 ? number * 1_000 : number) : Date.parse(text);
  return at >= EARLIEST && at < LATEST ? Math.round(at) : undefined;
}
