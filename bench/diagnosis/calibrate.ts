import { leadIn, rankRootCauses, type Ranking } from '../../src/features/diagnosis/index.ts';
import { confidenceAt, type Lead } from '../../src/features/diagnosis/confidence.ts';
import type { RankRootCausesResult } from '../../src/features/tools/index.ts';
import type { DiagnosisCase } from './case.ts';
import { confidenceLeftOut, fitConfidence, validate, type KnownCase } from './fit-confidence.ts';
import type { KnownIncident } from './incidents.ts';
import { rankIncident } from './rank-incident.ts';
import { forEachQuiet } from './quiet.ts';

const FOLDS = 5;

export interface CalibrationInput {
  cases: ReadonlyArray<DiagnosisCase & { group: string }>;
  incidents: readonly KnownIncident[];
  json: boolean;
  signal: AbortSignal;
}

/**
 * Fits the table of confidences to all cases, and prints it with its errors: on the cases it was fitted to, in five-fold
 * cross-validation, and on each data set by a table of the others.
 */
export async function calibrate({ cases, incidents, json, signal }: CalibrationInput): Promise<void> {
  const known = cases.flatMap(({ group, truth, input }) => {
    if (truth === undefined) return [];
    return [observed(group, truth, rankRootCauses(input))];
  });
  const quiet: Array<Lead & { dataset: string }> = [];
  for (const { directory, name, system, truth } of incidents) {
    known.push(observed(system, truth, await rankIncident(directory, name, signal)));
    await forEachQuiet(directory, name, async (copies) => {
      quiet.push({ dataset: system, ...leadOf(await rankIncident(copies, name, signal)) });
    });
  }
  const table = fitConfidence(known, quiet);
  if (json) {
    for (const one of known) process.stdout.write(`${JSON.stringify(one)}\n`);
    for (const one of quiet) process.stdout.write(`${JSON.stringify({ ...one, quiet: true })}\n`);
    return;
  }
  const fold = (_: unknown, index: number): number => index % FOLDS;
  const dataset = (one: { dataset: string }): string => one.dataset;
  const ways = {
    'fitted to them': known.map((one) => confidenceAt(one, table)),
    [`${FOLDS}-fold`]: confidenceLeftOut(known, fold, (others) => fitConfidence(others, quiet)),
    'by the others': confidenceLeftOut(known, dataset, (others) => fitConfidence(others, quiet)),
  };
  const lines = [row(['cases', 'table', 'n', 'right', 'ECE', 'wrong>=.7', 'named'])];
  for (const [name, members] of [...Map.groupBy(known, dataset), ['all', known] as const]) {
    const right = members.filter((one) => one.right).length / members.length;
    for (const [way, confidence] of Object.entries(ways)) {
      const own = confidence.filter((_, i) => members.includes(known[i]!));
      const { calibrationError, wrongSure, named } = validate(members, own);
      lines.push(row([name, way, String(members.length), ...[right, calibrationError, wrongSure, named].map(figure)]));
    }
  }
  const stays = confidenceLeftOut(quiet, fold, (others) => fitConfidence(known, others)).filter((one) => one < 0.5);
  lines.push('', `healthy periods without a named cause, ${FOLDS}-fold: ${stays.length} of ${quiet.length}`, '');
  lines.push(...table.map(({ lead, surprise, right }) => `{ lead: ${lead}, surprise: ${surprise}, right: ${right} },`));
  process.stdout.write(`${lines.join('\n')}\n`);
}

function observed(dataset: string, truth: string, ranking: Ranked): KnownCase {
  return { dataset, right: ranking.causes[0]?.service === truth, ...leadOf(ranking) };
}

type Ranked = Pick<Ranking | RankRootCausesResult, 'causes' | 'considered'>;

const leadOf = ({ causes, considered }: Ranked): Lead => leadIn(causes, considered.series);

const figure = (share: number): string => share.toFixed(2);

function row([group, way, ...figures]: string[]): string {
  return [group!.padEnd(20), way!.padEnd(15), ...figures.map((one) => one.padStart(9))].join(' ');
}
