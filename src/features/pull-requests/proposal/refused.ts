/** A change that does not apply, with the places where it does not. */

export interface ChangeProblem {
  /** Absent if it concerns the change as a whole. */
  path?: string;
  /** For people and models. */
  problem: string;
  /** What the file has instead. `line` counts from 1. */
  nearest?: { line: number; text: string }[];
}

/** The change does not apply to the revision; nothing was changed. */
export class ChangeRefused extends Error {
  override name = 'ChangeRefused';
  readonly problems: ChangeProblem[];
  constructor(problems: ChangeProblem[]) {
    super(problems.map(({ path, problem }) => (path === undefined ? problem : `${path}: ${problem}`)).join('\n'));
    this.problems = problems;
  }
}
