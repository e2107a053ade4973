/** The text of a member of a JSON object, exactly as sent. */
import { endOfString } from '../../platform/json-text.ts';

/** With every character escaped. */
const LONGEST_NAME = 200;

/**
 * Finds the text of a member of the object in `json`. The text says more than the parsed value: the order of keys, the
 * digits of numbers, and how the sender formats JSON.
 * @param json valid JSON of an object
 * @returns the text of the last member of this name, which is the one that counts; undefined if there is none
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

/** @returns the position of the comma or brace after a value */
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
