import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { investigateIncident } from '../diagnosis-e2e.ts';
import { withStack } from '../support/stack.ts';
import { DatasetError } from './case.ts';
import { listFolders } from './csv.ts';
import { rankIncident } from './rank-incident.ts';
import { reliabilityTable } from './reliability.ts';
import { rankOf, scoreTable } from './score.ts';

const truthFile = z.array(z.object({ case: z.string(), service: z.string(), type: z.string().optional() }));
type Truth = z.output<typeof truthFile>[number];

export interface IncidentsOptions {
  truth?: string;
  json: boolean;
  /** The whole investigation by the offline model; otherwise the ranker alone. */
  endToEnd: boolean;
  signal: AbortSignal;
}

interface Answer {
  ranking: Array<{ service: string; score: number }>;
  /** The service named as the cause; null when none is established. */
  cause: string | null;
  confidence: number;
}

/**
 * Ranks, or investigates, every recorded incident of a folder. One line of JSON per case, or tables: how often the truth
 * is at which place, by system (the name up to its first hyphen) and kind of fault, and how reliable confidence is.
 * @throws {DatasetError} if the folder or the truth cannot be read
 */
export async function benchIncidents(directory: string, options: IncidentsOptions): Promise<void> {
  const names = recordedIncidents(directory);
  const truths = new Map(options.truth === undefined ? [] : readTruth(options.truth).map((one) => [one.case, one]));
  const seen: Array<{ name: string; answer: Answer; truth: Truth | undefined }> = [];
  const record = (name: string, answer: Answer): void => {
    const truth = truths.get(name);
    seen.push({ name, answer, truth });
    if (!options.json) return;
    const known = truth && { truth: truth.service, rank: placeOf(answer, truth.service) };
    process.stdout.write(`${JSON.stringify({ case: name, ...answer, ...known })}\n`);
  };
  if (options.endToEnd) await investigateAll(directory, names, options, record);
  else {
    for (const name of names) record(name, await rankAlone(directory, name, options.signal));
  }
  if (options.json) return;
  process.stdout.write(
    scoreTable(
      seen.map(({ name, answer, truth }) => ({
        groups: [systemOf(name), ...(truth?.type ? [`${systemOf(name)} ${truth.type}`] : [])],
        ranks: { casebook: truth && rankOf(answer.ranking, truth.service) },
      })),
    ),
  );
  const known = seen.filter(({ truth }) => truth !== undefined);
  for (const [system, members] of Map.groupBy(known, ({ name }) => systemOf(name))) {
    const stated = members.map(({ answer, truth }) => ({
      confidence: answer.confidence,
      right: answer.ranking[0]?.service === truth?.service,
    }));
    process.stdout.write(`\n${reliabilityTable(system, stated)}`);
  }
}

export interface KnownIncident {
  directory: string;
  name: string;
  system: string;
  /** The service at fault. */
  truth: string;
}

/** @throws {DatasetError} if the folder or the truth cannot be read, or the truth knows none of its incidents */
export function knownIncidents(directory: string, truth: string): KnownIncident[] {
  const truths = new Map(readTruth(truth).map((one) => [one.case, one.service]));
  const known = recordedIncidents(directory).flatMap((name) => {
    const service = truths.get(name);
    return service === undefined ? [] : [{ directory, name, system: systemOf(name), truth: service }];
  });
  if (known.length === 0) throw new DatasetError(`${truth} knows no incident of ${directory}`);
  return known;
}

function recordedIncidents(directory: string): string[] {
  const names = listFolders(directory).filter((name) => existsSync(join(directory, name, 'incident.json')));
  if (names.length === 0) throw new DatasetError(`${directory} has no recorded incident`);
  return names;
}

async function rankAlone(directory: string, name: string, signal: AbortSignal): Promise<Answer> {
  const { causes, confidence } = await rankIncident(directory, name, signal);
  const ranking = causes.map(({ service, score }) => ({ service, score }));
  return { ranking, cause: confidence < 0.5 ? null : (ranking[0]?.service ?? null), confidence };
}

/** Each incident is alone in its folder, as the telemetry of one installation is. */
async function investigateAll(
  directory: string,
  names: readonly string[],
  { signal }: IncidentsOptions,
  record: (name: string, answer: Answer) => void,
): Promise<void> {
  const incidentsDir = await mkdtemp(join(tmpdir(), 'casebook-bench-incidents-'));
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  try {
    await withStack({ say, signal, env: { CASEBOOK_INCIDENTS_DIR: incidentsDir } }, async (stack) => {
      for (const name of names) {
        await cp(join(directory, name), join(incidentsDir, name), { recursive: true });
        const { ranking } = await rankAlone(incidentsDir, name, signal);
        const { named, confidence } = await investigateIncident(stack, [incidentsDir, name], signal);
        const others = ranking.filter(({ service }) => service !== named);
        const top = { service: named ?? '', score: ranking[0]?.score ?? 0 };
        record(name, { ranking: named === null ? ranking : [top, ...others], cause: named, confidence });
        await rm(join(incidentsDir, name), { recursive: true });
      }
    });
  } finally {
    await rm(incidentsDir, { recursive: true, force: true });
  }
}

function readTruth(path: string): Truth[] {
  try {
    return truthFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new DatasetError(`${path} is not a list of {case, service, type}: ${String(error)}`);
  }
}

/** JSON has no infinity: null if the truth is not in the ranking. */
function placeOf({ ranking }: Answer, truth: string): number | null {
  const place = rankOf(ranking, truth);
  return place === undefined || !Number.isFinite(place) ? null : place;
}

const systemOf = (name: string): string => name.split('-', 1)[0]!;
