/** How `npm test` is divided, and what it says in the end. */

/** What one process of mocha came to. */
export interface Ended {
  /** Exit code. */
  status: number;
  passing: number;
  failing: number;
  /** What mocha says of the tests that failed; of a process that ended before it could count, the last it said. */
  failures: string;
}

/** Tests that start, kill and restart whole installations take about as long as all others together. */
const INSTALLATIONS = ['bench', 'chaos', 'demo'];

/**
 * Tests in a browser wait for it most of the time, and for an installation that serves them all. They take half as long
 * as each of the other groups; what else stands here makes up for it.
 */
const BROWSER = ['bin', 'embedded', 'offline-model', 'packaging', 'platform', 'satellite', 'web', 'workflows'];

/**
 * Which folders of `test` run in one process of mocha, side by side with the other groups. The first one is shown as it
 * goes, the others when they have ended.
 */
export function testGroups(folders: readonly string[]): string[][] {
  const named = [INSTALLATIONS, BROWSER];
  const others = folders.filter((folder) => !named.flat().includes(folder));
  return [others, ...named.map((group) => group.filter((folder) => folders.includes(folder)))].filter(
    (group) => group.length > 0,
  );
}

/** Characters that are said once more of the failures of a process. */
const MOST_FAILURES = 8_000;
/** Characters that are said once more of a process that failed without naming a test. */
const MOST_LAST_WORDS = 2_000;

/** What mocha says in the end of its output: `  12 passing (3s)`, with or without colours, and then what failed. */
export function endOf(status: number, output: string): Ended {
  // oxlint-disable-next-line no-control-regex -- the escapes of colours
  const plain = output.replaceAll(/\x1b\[[0-9;]*m/g, '');
  const last = (what: string): RegExpExecArray | undefined =>
    [...plain.matchAll(new RegExp(`^ +(\\d+) ${what}(?: .*)?$`, 'gm'))].at(-1);
  const failing = last('failing');
  const failed = failing && plain.slice(failing.index + failing[0].length).trim();
  const lastWords = status === 0 ? '' : plain.slice(-MOST_LAST_WORDS).trim();
  return {
    status,
    passing: Number(last('passing')?.[1] ?? 0),
    failing: Number(failing?.[1] ?? 0),
    failures: failed?.slice(0, MOST_FAILURES) ?? lastWords,
  };
}

/**
 * The last lines of a run: what failed in any process, where whoever reads only the end sees it; then the counts in
 * mocha's own form, so that whoever counts them need not know that there were several.
 */
export function summary(ended: readonly Ended[], ms: number): string {
  const sum = (of: (one: Ended) => number): number => ended.reduce((total, one) => total + of(one), 0);
  const failing = sum((one) => one.failing);
  const failures = ended.filter((one) => one.failures !== '').map((one) => `\n== failed ==\n\n  ${one.failures}`);
  const lines = [
    ...failures,
    '',
    '  all together',
    `  ${sum((one) => one.passing)} passing (${Math.round(ms / 60_000)}m)`,
  ];
  return [...lines, ...(failing > 0 ? [`  ${failing} failing`] : [])].join('\n');
}
