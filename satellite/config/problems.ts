/** Problems in a configuration: all at once, each with its position. Never with the value, which may be a secret. */

export interface ConfigProblem {
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
