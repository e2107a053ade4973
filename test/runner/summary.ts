/** What a run says. */
import type { BatchResult } from './processes.ts';
import type { Failure, Verdict } from './verdict.ts';

/** Characters of each output that are repeated at the end. */
const MAX_ERROR = 3_000;

/** One line for a batch, and what failed in it. */
export function batchLine({ files, results, seconds, cpuSeconds }: BatchResult): string {
  const count = (status: string): number => results.filter((one) => one.status === status).length;
  const [failed, pending] = [count('failed'), count('pending')];
  const counts = `${count('passed')} passed${failed ? `, ${failed} failed` : ''}${pending ? `, ${pending} pending` : ''}`;
  const name = files.length === 1 ? files[0] : `${files[0]} and ${files.length - 1} more`;
  const failures = results.filter(({ status }) => status === 'failed');
  return [
    `${failed ? '✖' : '✔'} ${name}: ${counts} (${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of processor time)`,
    ...failures.map(({ title, error = '' }) => `    ${title}\n${indented(error)}`),
  ].join('\n');
}

/** The last lines: whoever reads only the end sees what failed, then `N passed, N failed` alone on a line. */
export function summary({ passed, failed, flaky }: Verdict, facts: string): string {
  const described = ({ file, title, reason, first, second }: Failure): string[] => [
    `  ${file}\n  ${title}\n  (${reason})`,
    indented(first),
    ...(second === undefined ? [] : [`    -- run again:`, indented(second)]),
    '',
  ];
  return [
    '',
    ...(flaky.length > 0 ? ['== flaky ==', '', ...flaky.flatMap(described)] : []),
    ...(failed.length > 0 ? ['== failed ==', '', ...failed.flatMap(described)] : []),
    facts,
    ...flaky.map(({ file, title }) => `flaky: ${file}: ${title}`),
    `${passed} passed, ${failed.length} failed`,
  ].join('\n');
}

const indented = (text: string): string => text.slice(0, MAX_ERROR).replaceAll(/^/gm, '      ');
