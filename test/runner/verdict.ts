/** Which failures count: pure, so that the verdict itself is tested. */

export interface TestResult {
  /** Path from the repository's root. */
  file: string;
  /** Titles of suites and test; for a hook, what mocha calls it. */
  title: string;
  status: 'passed' | 'failed' | 'pending';
  /** Where a whole suite depends on it: a hook, or loading the file. */
  isHook?: boolean;
  error?: string;
}

export interface Failure {
  file: string;
  title: string;
  /** Why it is red, or that it is not. */
  reason: string;
  first: string;
  /** Undefined when it was not run again. */
  second?: string;
}

export interface Verdict {
  /** Tests that passed, flaky ones included. */
  passed: number;
  /** Any makes the run red. */
  failed: Failure[];
  /** Failed once and passed once; not red. */
  flaky: Failure[];
}

/** In the title of tests of what must never happen: a run lost, an effect twice, another team's data. */
export const NEVER_FORGIVEN = '@never-forgiven';
/** With more failures than this, something is broken, and a second look would only take time. */
export const MAX_SECOND_LOOKS = 20;
/** With more flaky tests than this, it is not the machine. */
export const MAX_FLAKY = 3;

export const keyOf = ({ file, title }: { file: string; title: string }): string => `${file}: ${title}`;

/** @returns the files that are run again, each in a process of its own, when all others have ended */
export function filesForSecondLook(first: readonly TestResult[]): string[] {
  const failures = first.filter(({ status }) => status === 'failed');
  if (failures.length > MAX_SECOND_LOOKS) return [];
  return [...new Set(failures.filter(isForgivable).map(({ file }) => file))];
}

/**
 * @param second results of the files that were run again
 * @param flakyBefore keys of the tests that were flaky in any of the last four runs
 */
export function verdictOf(
  first: readonly TestResult[],
  second: readonly TestResult[] = [],
  flakyBefore: ReadonlySet<string> = new Set(),
): Verdict {
  const seconds = Map.groupBy(second, ({ file }) => file);
  const failed: Failure[] = [];
  const flaky: Failure[] = [];
  const judge = (test: TestResult, firstError: string, again: TestResult | undefined, isFlaky: boolean): void => {
    const { file, title } = test;
    const fail = (reason: string): void => {
      failed.push({ file, title, reason, first: firstError, second: again?.error ?? (again && again.status) });
    };
    if (!isForgivable(test)) fail('never forgiven');
    else if (!seconds.has(file)) fail('not run again');
    else if (!isFlaky) fail('failed again');
    else if (flakyBefore.has(keyOf(test))) fail('flaky in two of the last five runs');
    else flaky.push({ file, title, reason: 'flaky', first: firstError, second: again?.error ?? 'passed' });
  };

  const failedFirst = new Set<string>();
  for (const test of first.filter(({ status }) => status === 'failed')) {
    failedFirst.add(keyOf(test));
    const others = seconds.get(test.file) ?? [];
    const again = others.find(({ title }) => title === test.title);
    const isFlaky = test.isHook ? others.every(({ status }) => status !== 'failed') : again?.status === 'passed';
    judge(test, test.error ?? '', again, isFlaky);
  }
  const passedFirst = new Set(first.filter(({ status }) => status === 'passed').map(keyOf));
  for (const test of second.filter((one) => one.status === 'failed' && !failedFirst.has(keyOf(one))))
    judge(test, passedFirst.has(keyOf(test)) ? 'passed' : 'not run', test, passedFirst.has(keyOf(test)));

  if (flaky.length > MAX_FLAKY)
    failed.push(...flaky.splice(0).map((one) => ({ ...one, reason: `one of more than ${MAX_FLAKY} flaky tests` })));
  const red = new Set(failed.map(keyOf));
  const passed = new Set([...first, ...second].filter(({ status }) => status === 'passed').map(keyOf));
  return { passed: passed.difference(red).size, failed, flaky };
}

/** A hook only prepares what a test then asserts. */
const isForgivable = ({ title, isHook }: TestResult): boolean => isHook === true || !title.includes(NEVER_FORGIVEN);
