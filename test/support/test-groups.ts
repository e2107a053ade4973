/** How `npm test` is divided, and what it says in the end. */

/** What one process of mocha came to. */
export interface Ended {
  /** Exit code. */
  status: number;
  passing: number;
  failing: number;
}

/** Tests that start, kill and restart whole installations take about as long as all others together. */
const INSTALLATIONS = ['bench', 'bin', 'chaos', 'demo', 'embedded'];

/**
 * Tests in a browser wait for it most of the time, and for an installation that serves them all. They take half as long
 * as each of the other groups; what else stands here makes up for it.
 */
const BROWSER = ['satellite', 'web', 'workflows'];

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

/** What mocha says in the end of its output: `  12 passing (3s)`, with or without colours. */
export function endOf(status: number, output: string): Ended {
  // oxlint-disable-next-line no-control-regex -- the escapes of colours
  const plain = output.replaceAll(/\x1b\[[0-9;]*m/g, '');
  const counted = (what: string): number =>
    Number([...plain.matchAll(new RegExp(`^ +(\\d+) ${what}`, 'gm'))].at(-1)?.[1] ?? 0);
  return { status, passing: counted('passing'), failing: counted('failing') };
}

/** The last lines of a run, in mocha's own form, so that whoever counts them need not know that there were several. */
export function summary(ended: readonly Ended[], ms: number): string {
  const sum = (of: (one: Ended) => number): number => ended.reduce((total, one) => total + of(one), 0);
  const failing = sum((one) => one.failing);
  const lines = ['', '  all together', `  ${sum((one) => one.passing)} passing (${Math.round(ms / 60_000)}m)`];
  return [...lines, ...(failing > 0 ? [`  ${failing} failing`] : [])].join('\n');
}
