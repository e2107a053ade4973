/** What of a statement says something that nothing was made of, so that it can be told. */
import { words } from '../../investigation/words.ts';
import { aspectsIn } from './aspects.ts';
import { takeComparison } from './comparison.ts';
import { logsIn } from './logs.ts';
import { isPlainWord, servicesIn } from './services.ts';
import type { SaidSubjects } from './subjects.ts';
import { takeLimit } from './thresholds.ts';
import type { Service } from './wish.ts';

const CLAUSE = /\s*(?:,|;|\(|\)|\b(?:and|but|then|because|since|so that)\b)\s*/iu;
const FEWEST_WORDS = 2;
const MOST = 3;

/** @param text the statement without its schedule and what is to happen on a finding @returns clauses, as they were said */
export function leftover(text: string, { subjects, named }: SaidSubjects, services: readonly Service[]): string[] {
  // An instruction is kept word for word, and what is searched for may be anything.
  if (subjects.some(({ subject }) => subject.kind === 'instruction' || subject.kind === 'promql')) return [];
  const said = new Set(
    [...named.names, ...named.unknown, ...named.taken.map((one) => one.said)].flatMap((one) => words(one)),
  );
  return text
    .split(CLAUSE)
    .filter((clause) => unknownWords(clause, said, services).length >= FEWEST_WORDS)
    .slice(0, MOST);
}

function unknownWords(clause: string, said: ReadonlySet<string>, services: readonly Service[]): string[] {
  if (/[\ue000-\ue3ff_]/u.test(clause) || logsIn(clause, []) || aspectsIn(clause).length > 0) return [];
  if (servicesIn(clause, services).names.length > 0 || Object.keys(takeLimit({ text: clause })).length > 0) return [];
  if (Object.keys(takeComparison({ text: clause })).length > 0) return [];
  const all = clause.match(/[\p{L}][\p{L}\d'’-]+/gu) ?? [];
  return all.filter((word) => word.length > 2 && !isPlainWord(word) && !words(word).some((one) => said.has(one)));
}
