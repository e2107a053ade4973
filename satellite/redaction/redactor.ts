/** Takes secrets out of everything that leaves the network. */
import { DEFAULT_RULES, EMAIL_RULE, isSecretName, REDACTED, type RedactionRule } from './defaults.ts';

/** Names seen are remembered: the rows of an answer all have the same ones. */
const MOST_NAMES = 10_000;
/** `pwd=x`. */
const SHORTEST_SECRET = 5;
/** A sample of a metric, of which an answer may have a million; no default rule takes anything out of one. */
const SAMPLE = /^-?\d{1,12}\.\d{1,40}(?:e[+-]?\d{1,3})?$/;

export interface Redactor {
  text(text: string): string;
  /**
   * Redacts every string of a value and every name in it, and whole strings that go by a secret's name. Numbers stay.
   * @returns a copy, as plain JSON: what `JSON.stringify` leaves out is left out
   */
  value(value: unknown): unknown;
}

export interface RedactionOptions {
  defaults: boolean;
  emails: boolean;
  /** The configured ones; they come last, and also see what the defaults left. */
  rules: readonly RedactionRule[];
}

export function createRedactor({ defaults, emails, rules }: RedactionOptions): Redactor {
  const all = [...(defaults ? DEFAULT_RULES : []), ...(emails ? [EMAIL_RULE] : []), ...rules];
  const names = new Map<string, { name: string; secret: boolean }>();

  const text = (found: string): string => {
    let out = found;
    const isPlain = found.length < SHORTEST_SECRET || SAMPLE.test(found);
    for (const rule of isPlain ? rules : all) out = rule.apply(out);
    return out;
  };

  const nameOf = (found: string): { name: string; secret: boolean } => {
    const known = names.get(found);
    if (known) return known;
    const made = { name: text(found), secret: defaults && isSecretName(found) };
    if (names.size >= MOST_NAMES) names.clear();
    names.set(found, made);
    return made;
  };

  const object = (found: object): Record<string, unknown> => {
    const out = new Map<string, unknown>();
    // {"name": "DB_PASSWORD", "value": "…"}, as in the environment of a container.
    const label = 'name' in found ? found.name : 'key' in found ? found.key : undefined;
    const labelled = typeof label === 'string' && nameOf(label).secret;
    for (const [key, member] of Object.entries(found)) {
      if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue;
      const { name, secret } = nameOf(key);
      let free = name;
      // Two names may have become one.
      for (let n = 2; out.has(free); n++) free = `${name} (${n})`;
      const hidden = (secret || (labelled && key === 'value')) && typeof member === 'string' && member !== '';
      out.set(free, hidden ? REDACTED : value(member));
    }
    return Object.fromEntries(out);
  };

  const value = (found: unknown): unknown => {
    if (typeof found === 'string') return text(found);
    if (typeof found === 'bigint') return found.toString();
    if (typeof found !== 'object' || found === null) return found;
    if (Array.isArray(found)) return found.map(value);
    if ('toJSON' in found && typeof found.toJSON === 'function') return value(found.toJSON());
    return object(found);
  };

  return { text, value };
}
