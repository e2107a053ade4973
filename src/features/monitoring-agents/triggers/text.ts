/** Makes external texts fit to be stored and shown. */
import { storableText } from '../../../platform/storable.ts';

/** The text, cut to at most `most` characters with an ellipsis. */
export function clip(text: string, most: number): string {
  const storable = storableText(text).trim();
  if (storable.length <= most) return storable;
  // Never splits a surrogate pair.
  return `${storable.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** One line of at most `most` characters, without control characters. */
export const line = (text: string, most: number): string => clip(text.replaceAll(/[\p{Cc}\s]+/gu, ' '), most);

/** Placeholders that tools send for a missing value. */
const NOTHING = /^(|null|none|n\/a|undefined|\$[A-Z_]+)$/i;

/** A value as text; undefined for a missing one. */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string')
    return typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined;
  return NOTHING.test(value.trim()) ? undefined : value;
}

/** The first value that is a text. */
export const firstText = (...values: unknown[]): string | undefined => values.map(textOf).find((text) => text);

/** An object's values, own members only: safe against prototype tricks. */
export const member = (object: unknown, name: string): unknown =>
  typeof object === 'object' && object !== null ? Object.getOwnPropertyDescriptor(object, name)?.value : undefined;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const EARLIEST = Date.UTC(2000, 0);
const LATEST = Date.UTC(2100, 0);

/**
 * A time in any common notation (ISO 8601, or seconds or milliseconds since 1970, also as text), in unix milliseconds.
 * Undefined if invalid or outside 2000 to 2100: Go writes the year 1 for "unknown".
 */
export function momentOf(value: unknown): number | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  const number = Number(text);
  const at = Number.isFinite(number) ? (Math.abs(number) < 1e11 ? number * 1_000 : number) : Date.parse(text);
  return at >= EARLIEST && at < LATEST ? Math.round(at) : undefined;
}
