/** Converts PostgreSQL's values to JSON. */
import type pgModule from 'pg';

/**
 * bool, the integers that fit, floats, json and arrays of simple values; everything else stays as the server writes it.
 */
const PARSED = new Set([16, 21, 23, 26, 114, 3802, 1000, 1005, 1007, 1009, 1015]);
const INT8 = 20;
const FLOATS = new Set([700, 701]);

/**
 * Times stay text (the session's time zone is UTC) and so does `numeric` (it may be more exact than a number); the
 * client's own parsers would read times in this machine's zone.
 */
export function valueParsers(types: typeof pgModule.types): pgModule.CustomTypesConfig {
  return {
    getTypeParser: (oid: number, format?: 'text' | 'binary') => {
      if (oid === INT8) return (text: string) => (Number.isSafeInteger(Number(text)) ? Number(text) : text);
      if (FLOATS.has(oid)) return (text: string) => (Number.isFinite(Number(text)) ? Number(text) : text);
      return PARSED.has(oid) && format !== 'binary' ? types.getTypeParser(oid, 'text') : (text: string) => text;
    },
  };
}

/** @returns the names of PostgreSQL's own types by OID, in lower case */
export function typeNames(types: typeof pgModule.types): ReadonlyMap<number, string> {
  return new Map(Object.entries(types.builtins).map(([name, oid]) => [oid, name.toLowerCase()]));
}
