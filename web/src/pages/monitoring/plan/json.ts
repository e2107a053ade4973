/** Reads and writes plan values by path, such as `check.condition.value`. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: Json;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @returns undefined if nothing is there */
export function valueAt(value: Json | undefined, path: string): Json | undefined {
  let current: Json | undefined = value;
  for (const part of path.split('.')) current = isObject(current) ? current[part] : undefined;
  return current;
}

/** A copy with another value at the path, creating parents as needed; undefined removes the property. */
export function withValue(value: JsonObject, path: string, next: Json | undefined): JsonObject {
  const [member = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    if (next !== undefined) return { ...value, [member]: next };
    return Object.fromEntries(Object.entries(value).filter(([name]) => name !== member));
  }
  const inner = value[member];
  if (next === undefined && !isObject(inner)) return value;
  return { ...value, [member]: withValue(isObject(inner) ? inner : {}, rest.join('.'), next) };
}
