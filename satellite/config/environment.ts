/** `${NAME}` and `${NAME:-default}` in the values of the YAML file. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** Path of a value in the file. */
export type ValuePath = readonly PropertyKey[];

interface Substitution {
  value: unknown;
  /** Paths of substituted texts, by `JSON.stringify`. */
  substituted: Set<string>;
  problems: { path: ValuePath; message: string }[];
}

const REFERENCE = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Substitutes variables in every text of a parsed file, so a value cannot become YAML. `$${NAME}` escapes a literal
 * `${NAME}`. As in a shell, an empty variable counts as unset when there is a default.
 */
export function substitute(root: unknown, env: Environment): Substitution {
  const substituted = new Set<string>();
  const problems: Substitution['problems'] = [];
  const text = (found: string, path: ValuePath): string =>
    found.replace(REFERENCE, (reference, escaped: string, name: string, fallback: string | undefined) => {
      if (escaped !== '') return reference.slice(1);
      substituted.add(JSON.stringify(path));
      const value = env[name];
      if (value !== undefined && (value !== '' || fallback === undefined)) return value;
      if (fallback !== undefined) return fallback;
      problems.push({ path, message: `the environment variable ${name} is not set` });
      return '';
    });
  const walk = (found: unknown, path: ValuePath): unknown => {
    if (typeof found === 'string') return text(found, path);
    if (Array.isArray(found)) return found.map((member, i) => walk(member, [...path, i]));
    if (typeof found !== 'object' || found === null) return found;
    return Object.fromEntries(Object.entries(found).map(([key, member]) => [key, walk(member, [...path, key])]));
  };
  return { value: walk(root, []), substituted, problems };
}

/** @returns an environment value as a number or boolean, whichever is expected; undefined when it is neither */
export function asScalar(text: unknown): number | boolean | undefined {
  if (typeof text !== 'string') return undefined;
  const trimmed = text.trim();
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true';
  const number = Number(trimmed);
  return trimmed !== '' && Number.isFinite(number) ? number : undefined;
}
