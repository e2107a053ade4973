import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark, BenchOptions, BenchReport, BenchTable } from './benchmark.ts';
import { loadPetShopCases } from './diagnosis/petshop.ts';
import { rankIncident } from './diagnosis/rank-incident.ts';
import { petshopToRecordedIncident } from './diagnosis/recorded.ts';
import { investigate } from './support/investigate.ts';
import { withStack, type Stack } from './support/stack.ts';
import { median, significant } from './support/statistics.ts';

const demoIncidents = join(import.meta.dirname, '..', 'demo', 'incidents');
const demoTruth = join(import.meta.dirname, '..', 'demo', 'truth');

/**
 * The offline model's whole investigation of recorded incidents, through API, worker, Temporal and PostgreSQL: whether
 * the report names the service at fault, against the first place of the ranker alone on the same recording. The question
 * is what an on-call engineer would paste: the alert. The truth is read only after the report is done.
 *
 * The demo incidents lie side by side, as in the demo. Each PetShop case is alone in its folder, as the telemetry of one
 * installation is.
 */
export const diagnosis: Benchmark = {
  name: 'diagnosis',
  about: 'whole investigations of recorded incidents by the offline model',
  run: benchDiagnosis,
};

/** One recorded incident and what is known of its cause. */
interface Incident {
  set: string;
  name: string;
  /** Brings the recording into the folder of incidents. @returns the name of its own folder there */
  place(incidentsDir: string): Promise<string>;
  truth(): Promise<string | undefined>;
}

interface Outcome {
  set: string;
  name: string;
  named: string | null;
  ranked: string | null;
  truth: string | undefined;
  seconds: number;
  toolCalls: number;
  citations: number;
  verified: number;
}

async function benchDiagnosis(options: BenchOptions): Promise<BenchReport> {
  const incidentsDir = await mkdtemp(join(tmpdir(), 'casebook-bench-incidents-'));
  try {
    return await withStack({ ...options, env: { CASEBOOK_INCIDENTS_DIR: incidentsDir } }, async (stack) => {
      const outcomes: Outcome[] = [];
      const demo = await demoIncidentList();
      for (const incident of demo) await incident.place(incidentsDir);
      for (const incident of demo) outcomes.push(await solve(options, stack, incident, [incidentsDir, incident.name]));
      await empty(incidentsDir);
      for (const incident of petshopIncidents(options.petshop)) {
        const folder = await incident.place(incidentsDir);
        outcomes.push(await solve(options, stack, incident, [incidentsDir, folder]));
        await empty(incidentsDir);
      }
      return report(outcomes);
    });
  } finally {
    await rm(incidentsDir, { recursive: true, force: true });
  }
}

async function demoIncidentList(): Promise<Incident[]> {
  const entries = await readdir(demoIncidents, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return names.sort().map((name) => ({
    set: 'demo',
    name,
    place: async (incidentsDir) => {
      const [from, to] = [join(demoIncidents, name), join(incidentsDir, name)];
      await mkdir(to);
      for (const file of await readdir(from)) await copyFile(join(from, file), join(to, file));
      return name;
    },
    truth: async () => {
      const truth = await readJson<{ rootCause: { service: string } }>(join(demoTruth, `${name}.json`));
      return truth.rootCause.service;
    },
  }));
}

function petshopIncidents(directory: string | undefined): Incident[] {
  if (directory === undefined) return [];
  return loadPetShopCases(directory).map((one) => ({
    set: 'petshop',
    name: one.name,
    place: (incidentsDir) => petshopToRecordedIncident(one, incidentsDir),
    truth: async () => one.truth,
  }));
}

async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
}

async function solve(
  { say, signal }: BenchOptions,
  stack: Stack,
  { set, name, truth }: Incident,
  [incidentsDir, folder]: [string, string],
): Promise<Outcome> {
  const { causes } = await rankIncident(incidentsDir, folder, signal);
  const { detail, named, seconds } = await investigateIncident(stack, [incidentsDir, folder], signal);
  const holds = ({ excerpts }: Citation): boolean => excerpts.length > 0 && excerpts.every(({ verified }) => verified);
  const outcome: Outcome = {
    set,
    name,
    named,
    ranked: causes[0]?.service ?? null,
    truth: await truth(),
    seconds,
    toolCalls: detail.steps.reduce((sum, step) => sum + step.tool_calls.length, 0),
    citations: detail.citations.length,
    verified: detail.citations.filter(holds).length,
  };
  say(`${name}: ${outcome.named ?? 'none named'} in ${seconds.toFixed(1)} s, truth ${outcome.truth ?? 'unknown'}`);
  return outcome;
}

/** The offline model's investigation of one recorded incident. @throws if it did not complete */
export async function investigateIncident(
  stack: Stack,
  [incidentsDir, folder]: [string, string],
  signal: AbortSignal,
): Promise<{ detail: Detail; named: string | null; confidence: number; seconds: number }> {
  const query = await questionAbout(join(incidentsDir, folder));
  const { id, status, seconds } = await investigate(stack, query, { signal });
  if (status !== 'completed') throw new Error(`the investigation of ${folder} ended as ${status}`);
  const detail = await stack.call<Detail>('GET', `/api/investigations/${id}`);
  const { report } = detail;
  if (report === null) throw new Error(`the investigation of ${folder} has no report`);
  return { detail, named: report.root_cause.service, confidence: report.confidence, seconds };
}

interface Citation {
  excerpts: { verified: boolean }[];
}

interface Detail {
  report: { confidence: number; root_cause: { service: string | null } } | null;
  citations: Citation[];
  steps: { tool_calls: unknown[] }[];
}

/** What an on-call engineer would paste: the title and the first alert of the recording. */
async function questionAbout(folder: string): Promise<string> {
  const { title, alerts } = await readJson<{
    title: string;
    alerts: { name: string; at: string | number; summary: string }[];
  }>(join(folder, 'incident.json'));
  const [alert] = alerts;
  if (!alert) return title;
  const at = typeof alert.at === 'number' ? new Date(alert.at * 1000).toISOString() : alert.at;
  return `${title}. Alert ${alert.name} fired at ${at}: ${alert.summary}. What is the root cause?`;
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, 'utf8')) as T;
}

function report(outcomes: Outcome[]): BenchReport {
  const sets = [...new Set(outcomes.filter(({ truth }) => truth !== undefined).map(({ set }) => set))];
  return { results: sets.map((set) => setResult(set, outcomes)), tables: [table(outcomes)] };
}

function setResult(set: string, outcomes: Outcome[]) {
  const known = outcomes.filter((outcome) => outcome.set === set && outcome.truth !== undefined);
  const right = known.filter(({ named, truth }) => named === truth).length;
  const rankedRight = known.filter(({ ranked, truth }) => ranked === truth).length;
  const sum = (figure: (outcome: Outcome) => number): number =>
    known.reduce((total, outcome) => total + figure(outcome), 0);
  return {
    name: `${set}: right service, of ${known.length}`,
    value: right,
    unit: 'cases',
    baseline: { name: 'the ranker alone', value: rankedRight, unit: 'cases' },
    ratio: right / rankedRight,
    target: `${known.length}`,
    met: right === known.length,
    note:
      `median ${significant(median(known.map(({ seconds }) => seconds)))} s each; ` +
      `${sum(({ verified }) => verified)} of ${sum(({ citations }) => citations)} citations verified`,
  };
}

function table(outcomes: Outcome[]): BenchTable {
  return {
    title: 'Investigations of the offline model, end to end',
    columns: ['incident', 'named', 'truth', 'right', 'ranker alone', 'seconds', 'tool calls', 'citations verified'],
    rows: outcomes.map(({ name, named, truth, ranked, seconds, toolCalls, citations, verified }) => [
      name,
      named,
      truth ?? null,
      truth === undefined ? null : named === truth ? 'yes' : 'NO',
      ranked,
      significant(seconds),
      toolCalls,
      `${verified}/${citations}`,
    ]),
  };
}
