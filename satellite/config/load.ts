/** Reads the YAML file and the environment into one checked configuration. */
import { readFileSync } from 'node:fs';
import { isNode, LineCounter, parseDocument, type Document } from 'yaml';
import { parseConnectors, type ConfiguredConnector, type ConnectorKinds, type FoundIssue } from './connectors.ts';
import { asScalar, substitute, type Environment, type ValuePath } from './environment.ts';
import { satelliteFile, type SatelliteFile } from './schema.ts';

export interface SatelliteConfig extends Omit<SatelliteFile, 'connectors'> {
  connectors: ConfiguredConnector[];
}

/**
 * @param file path of the YAML file
 * @param env `CASEBOOK_URL`, `CASEBOOK_SATELLITE_TOKEN` and `CASEBOOK_SATELLITE_HEALTH_PORT` override the file
 * @throws {ConfigError} listing every problem
 */
export function loadConfig(file: string, env: Environment, kinds: ConnectorKinds): SatelliteConfig {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const message = code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`;
    throw new ConfigError(file, [{ path: '', message }]);
  }
  const result = parseConfig(text, env, kinds);
  if ('problems' in result) throw new ConfigError(file, result.problems);
  return result.config;
}

/** Like {@link loadConfig}, from the file's text. */
export function parseConfig(
  text: string,
  env: Environment,
  kinds: ConnectorKinds,
): { config: SatelliteConfig } | { problems: ConfigProblem[] } {
  const lines = new LineCounter();
  // Pretty errors quote the line, which may contain a secret.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0)
    return {
      problems: document.errors.map(({ pos, message }) => ({ path: '', line: lines.linePos(pos[0]).line, message })),
    };
  const content: unknown = document.toJS({ maxAliasCount: 100 }) ?? {};
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    return { problems: [{ path: '', line: 1, message: 'must be a mapping' }] };

  const { value: written, substituted, problems } = substitute(override(content, env), env);
  const value: object = Object(written);
  const found: FoundIssue[] = problems.map(({ path, message }) => ({ path: [...path], message }));
  const checked = check(value, kinds);
  // Variables hold text; where another type is expected, the text is parsed.
  const adapted = checked.issues.filter(({ path, code, expected }) => {
    if (code !== 'invalid_type' || (expected !== 'number' && expected !== 'boolean')) return false;
    return substituted.has(JSON.stringify(path)) && adapt(value, path);
  });
  const { config, issues } = adapted.length > 0 ? check(value, kinds) : checked;

  // For an unset variable, report only that.
  const unset = new Set(problems.map(({ path }) => JSON.stringify(path)));
  found.push(...issues.filter(({ path }) => !unset.has(JSON.stringify(path))));
  if (config && found.length === 0) return { config };
  const described = found.flatMap((issue) => toProblems(issue, document, lines));
  return { problems: described.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) };
}

function check(value: object, kinds: ConnectorKinds): { config?: SatelliteConfig; issues: FoundIssue[] } {
  const parsed = satelliteFile.safeParse(value);
  const entries = 'connectors' in value && Array.isArray(value.connectors) ? value.connectors : [];
  const { connectors, issues } = parseConnectors(entries, kinds);
  const casebook: unknown = 'casebook' in value ? value.casebook : undefined;
  if (typeof casebook === 'object' && casebook !== null && !('token' in casebook) && !('token_file' in casebook)) {
    const message = 'there is no token: set casebook.token, casebook.token_file or CASEBOOK_SATELLITE_TOKEN';
    issues.push({ path: ['casebook', 'token'], message });
  }
  if (!parsed.success) return { issues: [...parsed.error.issues, ...issues] };
  return { config: { ...parsed.data, connectors }, issues };
}

function override(content: object, env: Environment): object {
  const { CASEBOOK_URL: url, CASEBOOK_SATELLITE_TOKEN: token, CASEBOOK_SATELLITE_HEALTH_PORT: port } = env;
  const casebook: unknown = 'casebook' in content ? content.casebook : {};
  const out: Record<string, unknown> = { ...content };
  if (typeof casebook === 'object' && !Array.isArray(casebook))
    out['casebook'] = {
      ...casebook,
      // Values from the environment are not searched for further references.
      ...(url && { url: escaped(url) }),
      ...(token && { token: escaped(token) }),
    };
  if (port) out['health_port'] = asScalar(port) ?? port;
  return out;
}

const escaped = (text: string): string => text.replaceAll('${', () => '$${');

/** Replaces the text at a path with the number or boolean it spells. @returns whether it spells one */
function adapt(root: unknown, path: ValuePath): boolean {
  let holder: unknown = root;
  for (const key of path.slice(0, -1)) {
    if (typeof holder !== 'object' || holder === null) return false;
    holder = Reflect.get(holder, key);
  }
  const key = path.at(-1);
  if (typeof holder !== 'object' || holder === null || key === undefined) return false;
  const scalar = asScalar(Reflect.get(holder, key));
  return scalar !== undefined && Reflect.set(holder, key, scalar);
}

function toProblems(
  { path, message, code, keys }: FoundIssue,
  document: Document,
  lines: LineCounter,
): ConfigProblem[] {
  if (code === 'unrecognized_keys' && keys)
    return keys.map((key) => toProblem([...path, key], 'there is no such setting', document, lines));
  return [toProblem(path, message, document, lines)];
}

function toProblem(
  path: readonly PropertyKey[],
  message: string,
  document: Document,
  lines: LineCounter,
): ConfigProblem {
  const line = lineOf(path, document, lines);
  return { path: path.map(String).join('.'), ...(line !== undefined && { line }), message };
}

/** The position of the path or, if it is missing from the file, of its parent. */
function lineOf(path: readonly PropertyKey[], document: Document, lines: LineCounter): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return undefined;
}

/** Problems in a configuration: all at once, each with its position. Never with the value, which may be a secret. */

interface ConfigProblem {
  /** `connectors.0.url`; empty for the file as a whole. */
  path: string;
  /** Starts at 1. */
  line?: number;
  message: string;
}

export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];
  constructor(file: string, problems: readonly ConfigProblem[]) {
    super([`${file} cannot be used:`, ...problems.map((problem) => `  ${describe(file, problem)}`)].join('\n'));
    this.problems = problems;
  }
}

function describe(file: string, { path, line, message }: ConfigProblem): string {
  const place = line === undefined ? '' : `${file}:${line}: `;
  return `${place}${path === '' ? '' : `${path}: `}${message}`;
}
