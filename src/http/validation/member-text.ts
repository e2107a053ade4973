/** The text of a member of a JSON object, as it was sent. */
import { endOfString } from '../../platform/json-text.ts';

/** With every character escaped. */
const LONGEST_NAME = 200;

/**
 * Finds the text of a member of the object that `json` is. What a program sends for a value says more than the value:
 * the order of keys, the digits of numbers, and what the sender's own JSON of it looks like.
 * @param json valid JSON of an object
 * @returns the text of the last member of this name, which is the one that counts; undefined when there is none
 */
export function memberText(json: string, name: string): string | undefined {
  let found: string | undefined;
  let at = json.indexOf('{') + 1;
  while (at > 0 && at < json.length) {
    const start = json.indexOf('"', at);
    if (start < 0) break;
    const end = endOfString(json, start, json.length);
    const value = json.indexOf(':', end) + 1;
    const next = endOfValue(json, value);
    if (end - start < LONGEST_NAME && JSON.parse(json.slice(start, end)) === name)
      found = json.slice(value, next).trim();
    at = next + 1;
  }
  return found;
}

/** @returns where the comma or brace after a value is */
function endOfValue(json: string, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === 0x22) at = endOfString(json, at, json.length) - 1;
    else if (code === 0x7b || code === 0x5b) depth += 1;
    else if (code === 0x7d || code === 0x5d) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (code === 0x2c && depth === 0) return at;
  }
  return json.length;
}
