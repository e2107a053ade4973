import { parseArgs } from 'node:util';
import { rankRootCauses } from '../../src/features/diagnosis/index.ts';
import { rankByFormula, rankByGap, type RankedService } from './baselines.ts';
import { DatasetError, type DiagnosisCase } from './case.ts';
import { calibrate } from './calibrate.ts';
import { benchIncidents, knownIncidents } from './incidents.ts';
import { type InjectedCase, injectedPetShopCases, injectedSockShopCases } from './injected/index.ts';
import { rankByMaxZ } from './max-z.ts';
import { loadPetShopCases, loadPetShopHealth } from './petshop.ts';
import { rankOf, type ScoredCase, scoreTable } from './score.ts';
import { loadSockShopCases } from './sockshop.ts';

const usage = `usage: npm run bench:diagnosis -- (--petshop DIR | --sockshop DIR)... [--json]
       npm run bench:diagnosis -- [--petshop DIR] --injected [--cases N] [--seed FIRST] [--json]
       npm run bench:diagnosis -- --incidents DIR [--truth FILE] [--end-to-end] [--json]
       npm run bench:diagnosis -- --calibrate [--petshop DIR] [--incidents DIR --truth FILE] [--injected [--cases N]] [--json]`;

type Method = (input: DiagnosisCase['input']) => RankedService[];
const methods: Readonly<Record<string, Method>> = { casebook, 'max-z': rankByMaxZ };
const injectedMethods: typeof methods = { ...methods, gap: rankByGap, formula: rankByFormula };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      petshop: { type: 'string' },
      sockshop: { type: 'string' },
      injected: { type: 'boolean', default: false },
      cases: { type: 'string', default: '150' },
      seed: { type: 'string', default: '1' },
      incidents: { type: 'string' },
      truth: { type: 'string' },
      'end-to-end': { type: 'boolean', default: false },
      calibrate: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const { petshop, incidents, truth, json } = values;
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new DatasetError('interrupted')));
  const injected = (): { petshop: InjectedCase[]; sockshop: InjectedCase[] } => {
    const count = wholeNumber(values.cases, '--cases');
    const first = wholeNumber(values.seed, '--seed');
    const recordings = petshop === undefined ? [] : loadPetShopHealth(petshop);
    return {
      petshop: injectedPetShopCases(recordings, count, first),
      sockshop: injectedSockShopCases(count, first),
    };
  };
  if (values.calibrate) {
    const made = values.injected ? injected() : { petshop: [], sockshop: [] };
    const cases = [
      ...(petshop === undefined ? [] : loadPetShopCases(petshop)).map((one) => ({ ...one, group: 'petshop' })),
      ...made.petshop.map((one) => ({ ...one, group: 'injected petshop' })),
      ...made.sockshop.map((one) => ({ ...one, group: 'injected sockshop' })),
    ];
    const known = incidents === undefined || truth === undefined ? [] : knownIncidents(incidents, truth);
    if (cases.length + known.length === 0) throw new DatasetError(usage);
    await calibrate({ cases, incidents: known, json, signal: stop.signal });
    return;
  }
  if (incidents !== undefined) {
    const options = {
      json,
      endToEnd: values['end-to-end'],
      signal: stop.signal,
      ...(truth !== undefined && { truth }),
    };
    await benchIncidents(incidents, options);
    return;
  }
  if (values.injected) {
    const made = injected();
    if (made.petshop.length > 0) report(made.petshop, injectedMethods, json);
    report(made.sockshop, injectedMethods, json);
    return;
  }
  const unreadable = (error: DatasetError): void => {
    process.stderr.write(`bench:diagnosis: ${error.message}\n`);
    process.exitCode = 1;
  };
  const cases = [
    ...(petshop === undefined ? [] : loadPetShopCases(petshop, unreadable)),
    ...(values.sockshop === undefined ? [] : loadSockShopCases(values.sockshop, unreadable)),
  ];
  if (petshop === undefined && values.sockshop === undefined) throw new DatasetError(usage);
  if (cases.length > 0) report(cases, methods, json);
}

/** One line of JSON per case, or a table of how often each method named the truth. */
function report(cases: ReadonlyArray<DiagnosisCase | InjectedCase>, compared: typeof methods, json: boolean): void {
  const scored: ScoredCase[] = [];
  for (const one of cases) {
    const { dataset, system, name, truth, input } = one;
    if (json) {
      const ranking = casebook(input);
      const rank = rankOf(ranking, truth);
      process.stdout.write(`${JSON.stringify({ dataset, system, case: name, ranking, truth, rank })}\n`);
      continue;
    }
    const ranks = Object.entries(compared).map(([method, rank]) => [method, rankOf(rank(input), truth)] as const);
    const groups = 'fault' in one ? [system, one.node, one.fault] : [system];
    scored.push({ groups, ranks: Object.fromEntries(ranks) });
  }
  if (!json) process.stdout.write(scoreTable(scored));
}

function casebook(input: DiagnosisCase['input']): RankedService[] {
  return rankRootCauses(input).causes.map(({ service, score }) => ({ service, score }));
}

function wholeNumber(text: string, option: string): number {
  if (!/^\d+$/.test(text) || Number(text) === 0) throw new DatasetError(`${option} should be a whole number above 0`);
  return Number(text);
}

try {
  await main();
} catch (error) {
  const expected = error instanceof DatasetError || (error instanceof TypeError && 'code' in error);
  if (!expected) throw error;
  process.stderr.write(`bench:diagnosis: ${error.message}\n`);
  process.exitCode = 1;
}
