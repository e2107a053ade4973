/** Removes secrets from everything that leaves the network. */
import { DEFAULT_RULES, EMAIL_RULE, isSecretName, REDACTED, type RedactionRule } from './defaults.ts';

/** Caches the verdict on names: the rows of an answer share theirs. */
const MAX_NAMES = 10_000;
/** `pwd=x`. */
const MIN_SECRET_CHARACTERS = 5;
/** A metric sample. An answer may have a million, and no default rule matches one. */
const SAMPLE = /^-?\d{1,12}\.\d{1,40}(?:e[+-]?\d{1,3})?$/;

export interface Redactor {
  text(text: string): string;
  /**
   * Redacts every string and name in a value, and whatever a secret's name labels: strings and numbers, lists of them,
   * and cells of table columns. Objects are traversed. Other numbers stay.
   * @returns a copy, as plain JSON: whatever `JSON.stringify` omits is omitted
   */
  value(value: unknown): unknown;
}

export interface RedactionOptions {
  defaults: boolean;
  emails: boolean;
  /** Custom rules run last, on what the defaults left. */
  rules: readonly RedactionRule[];
}

export function createRedactor({ defaults, emails, rules }: RedactionOptions): Redactor {
  const all = [...(defaults ? DEFAULT_RULES : []), ...(emails ? [EMAIL_RULE] : []), ...rules];
  const names = new Map<string, { name: string; secret: boolean }>();

  const text = (found: string): string => {
    let out = found;
    const isPlain = found.length < MIN_SECRET_CHARACTERS || SAMPLE.test(found);
    for (const rule of isPlain ? rules : all) out = rule.apply(out);
    return out;
  };

  const nameOf = (found: string): { name: string; secret: boolean } => {
    const known = names.get(found);
    if (known) return known;
    const made = { name: text(found), secret: defaults && isSecretName(found) };
    if (names.size >= MAX_NAMES) names.clear();
    names.set(found, made);
    return made;
  };

  const object = (found: object): Record<string, unknown> => {
    const out = new Map<string, unknown>();
    // {"name": "DB_PASSWORD", "value": "…"}, as in a container's environment.
    const label = 'name' in found ? found.name : 'key' in found ? found.key : undefined;
    const labelled = typeof label === 'string' && nameOf(label).secret;
    const columns = secretColumns(found);
    for (const [key, member] of Object.entries(found)) {
      if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue;
      const { name, secret } = nameOf(key);
      let free = name;
      // Two names may have become one.
      for (let n = 2; out.has(free); n++) free = `${name} (${n})`;
      if (labelled && key === 'value') out.set(free, hideAll(member));
      else if (secret) out.set(free, hide(member));
      else if (columns && key === 'rows') out.set(free, hideCells(member, columns));
      else out.set(free, value(member));
    }
    return Object.fromEntries(out);
  };

  /** {"columns": [{"name": "password", …}], "rows": [["…"]]}, as databases answer. */
  const secretColumns = (found: object): Set<number> | undefined => {
    if (!('columns' in found) || !Array.isArray(found.columns) || !('rows' in found)) return undefined;
    const secret = found.columns.flatMap((column: unknown, i) =>
      typeof column === 'object' && column !== null && 'name' in column && nameOf(String(column.name)).secret
        ? [i]
        : [],
    );
    return secret.length > 0 ? new Set(secret) : undefined;
  };

  const hideCells = (rows: unknown, columns: ReadonlySet<number>): unknown =>
    Array.isArray(rows)
      ? rows.map((row: unknown) =>
          Array.isArray(row)
            ? row.map((cell: unknown, i) => (columns.has(i) ? hideAll(cell) : value(cell)))
            : value(row),
        )
      : value(rows);

  /**
   * The value of a secret name is secret. An object with such a name may just as well describe the secret as hold it.
   */
  const hide = (found: unknown): unknown => {
    if (Array.isArray(found)) return found.map(hide);
    if (typeof found === 'string' && found !== '') return REDACTED;
    return typeof found === 'number' || typeof found === 'bigint' ? REDACTED : value(found);
  };

  /** Objects too, such as OpenTelemetry's {"stringValue": "…"}. */
  const hideAll = (found: unknown): unknown => {
    if (Array.isArray(found)) return found.map(hideAll);
    if (typeof found !== 'object' || found === null || 'toJSON' in found) return hide(found);
    return Object.fromEntries(Object.entries(found).map(([key, member]) => [nameOf(key).name, hideAll(member)]));
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
