/** What is wrong with a configuration: all of it at once, each with where it is. Never with a value: it may be a secret. */

export interface ConfigProblem {
  /** `connectors.0.url`; empty for the file as a whole. */
  path: string;
  /** 1 and up. */
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
