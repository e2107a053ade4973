import { parseArgs } from 'node:util';
import { rankRootCauses } from '../../src/features/diagnosis/index.ts';
import { DatasetError, type DiagnosisCase } from './case.ts';
import { rankByMaxZ } from './max-z.ts';
import { loadPetShopCases } from './petshop.ts';
import { type ScoredCase, scoreTable } from './score.ts';
import { loadSockShopCases } from './sockshop.ts';

const usage = 'usage: npm run bench:diagnosis -- (--petshop DIR | --sockshop DIR)... [--json]';

function main(): void {
  const { values } = parseArgs({
    options: {
      petshop: { type: 'string' },
      sockshop: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const cases: DiagnosisCase[] = [
    ...(values.petshop === undefined ? [] : loadPetShopCases(values.petshop)),
    ...(values.sockshop === undefined ? [] : loadSockShopCases(values.sockshop)),
  ];
  if (cases.length === 0) throw new DatasetError(usage);
  const scored: ScoredCase[] = [];
  for (const one of cases) {
    const ranking = rankRootCauses(one.input).causes.map(({ service, score }) => ({ service, score }));
    const maxZ = rankByMaxZ(one.input);
    scored.push({ case: one, rank: rankOf(ranking, one.truth), maxZRank: rankOf(maxZ, one.truth) });
    if (values.json) {
      const { dataset, system, name, truth } = one;
      const rank = rankOf(ranking, truth);
      process.stdout.write(`${JSON.stringify({ dataset, system, case: name, ranking, truth, rank })}\n`);
    }
  }
  if (!values.json) process.stdout.write(scoreTable(scored));
}

/** 1-based place of the truth; undefined when the truth is unknown, Infinity when it is not in the ranking. */
function rankOf(ranking: Array<{ service: string }>, truth: string | undefined): number | undefined {
  if (truth === undefined) return undefined;
  const index = ranking.findIndex(({ service }) => service === truth);
  return index < 0 ? Number.POSITIVE_INFINITY : index + 1;
}

try {
  main();
} catch (error) {
  const expected = error instanceof DatasetError || (error instanceof TypeError && 'code' in error);
  if (!expected) throw error;
  process.stderr.write(`bench:diagnosis: ${error.message}\n`);
  process.exitCode = 1;
}
