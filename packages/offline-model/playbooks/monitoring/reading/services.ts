/** Which services a text names. */
import type { ListServicesResult } from '../../../../../src/features/tools/results.ts';
import { mentions, words } from '../../investigation/words.ts';
import { serviceIn } from '../../conversation/services.ts';
import { aspectsIn } from './aspects.ts';

type Service = ListServicesResult['services'][number];

export interface NamedServices {
  names: string[];
  /** What was taken for which, where a person said it otherwise. */
  taken: { said: string; name: string; others: string[] }[];
  /** What stands where a service is named, and is none that is known. */
  unknown: string[];
}

const MOST_NAMED = 20;
/** Words that stand beside a service without naming it. */
const NO_SERVICE = new Set(
  (
    'a about above after again alert alerts all also an and any anything are as at baseline be below been being between but by calls can ' +
    'change changes check checks could customer customers do does each error errors every everything eye find for from get ' +
    'give goes good has have health healthy how hold i if in instead interval investigate investigation is issue it its just keep know ' +
    'let like line lines log logs look looking looks me message messages metric metrics mind monitor monitoring my need new no not notify ' +
    'now of off often on once one only open or our out over own page pattern patterns person please problem problems production put rate really ' +
    'report run runs see service services should show so some something start stop system tell text than that the their them then there ' +
    'they thing things this threshold time to too track trace under unless up us use usual very wait want warn warning was watch watching we ' +
    'what whatever when whenever where whether which while whole will with within without would wrong you your severity critical info ' +
    'second seconds minute minutes hour hours day days week weeks month morning evening night down slow fails failing fail broken p50 p90 ' +
    'p95 p99 percentile average mean median max min maximum minimum high low higher lower rises drops falls increases contains contain ' +
    'containing says say saying appear appears mention mentions occurs occur shows exception exceptions stack debug level kind kinds sort ' +
    'goes happens happen ensure make sure still always never sometimes dependency dependencies call case respond responds responding reachable stays stay remains remain must takes uses behaves today yesterday tonight deploy deploys deployment deployments release releases rollout rollouts calling stops recent latest ' +
    'available ok okay fine well hi hello hey thanks team set trigger ' +
    'actually anyone anybody somebody someone nobody keeps kept made making got getting didnt dont cant doesnt isnt its thats theres youre were ' +
    'against usually hold looks carefully closely particularly especially mainly mostly things bit little more less than clearly suddenly quickly ' +
    'whole entire complete breaks break broke broken bad worse dies die dead crash crashes crashing misbehaves acts acting exceed exceeds go gone ' +
    'getting gets become becomes higher bigger larger greater smaller fewer grow grows rise rising fall falling spike spikes jump jumps raise observe supervise follow guard unusual strange odd'
  ).split(' '),
);
const OBJECT =
  /\b(?:of|for|from|watch|watching|monitor|monitoring|about|on|in|with|service)\s+(?:the\s+|our\s+|my\s+|all\s+|any\s+)?([\p{L}\d][\p{L}\d._/-]*)(?:['’]s)?|([\p{L}\d][\p{L}\d._/-]*)['’]s?\s|([\p{L}\d][\p{L}\d._-]*)\s+service\b/giu;

/** The services of a text by their names, else by words of their names, else by what is nearly their name. */
export function servicesIn(text: string, services: readonly Service[]): NamedServices {
  const named: NamedServices = { names: [], taken: [], unknown: [] };
  let rest = withoutAspects(text);
  const add = (name: string): void => {
    if (!named.names.includes(name) && named.names.length < MOST_NAMED) named.names.push(name);
  };
  for (const name of services.map((one) => one.name).toSorted((a, b) => b.length - a.length)) {
    if (!mentions(rest, name)) continue;
    add(name);
    rest = without(rest, name);
  }
  for (const said of candidates(rest)) {
    if (named.names.some((name) => words(name).includes(words(said)[0] ?? ''))) continue;
    const found = byWord(said, services) ?? nearly(said, services);
    if (found) {
      add(found.name);
      if (`${found.name}s` !== said.toLowerCase()) named.taken.push({ said, ...found });
    }
  }
  const lower = text.toLowerCase();
  named.names.sort((a, b) => position(lower, a) - position(lower, b));
  named.unknown = objectsIn(rest).filter(
    (object) =>
      !named.taken.some(({ said }) => said === object) && !byWord(object, services) && !nearly(object, services),
  );
  return named;
}

/** Whether a word is one that people use beside what they name. */
export function isPlainWord(word: string): boolean {
  return NO_SERVICE.has(word.toLowerCase().replaceAll(/['’]/g, ''));
}

/** Words that may name a service: all that mean nothing else. */
function candidates(text: string): string[] {
  const all = text.match(/[\p{L}\d][\p{L}\d_-]*/gu) ?? [];
  return [...new Set(all)]
    .filter((word) => word.length > 2 && /\p{L}/u.test(word) && !NO_SERVICE.has(word.toLowerCase()))
    .slice(0, 60);
}

function objectsIn(text: string): string[] {
  const found = [...text.matchAll(OBJECT)].map(([, after, possessive, before]) => after ?? possessive ?? before ?? '');
  return [...new Set(found)]
    .map((object) => object.replace(/[._/-]+$/, ''))
    .filter((object) => object.length > 1 && /^\p{L}/u.test(object) && !NO_SERVICE.has(object.toLowerCase()))
    .slice(0, 5);
}

function byWord(said: string, services: readonly Service[]): { name: string; others: string[] } | undefined {
  const found = serviceIn(said, [...services]);
  return found && { name: found.name, others: found.others };
}

/** With one wrong letter, or two in a long name. */
function nearly(said: string, services: readonly Service[]): { name: string; others: string[] } | undefined {
  const plain = said.toLowerCase();
  if (plain.length < 4) return undefined;
  const most = plain.length >= 8 ? 2 : 1;
  const [first, ...others] = services
    .map(({ name }) => ({ name, distance: distance(plain, name.toLowerCase(), most) }))
    .filter((one) => one.distance <= most)
    .toSorted((a, b) => a.distance - b.distance);
  return first && { name: first.name, others: others.map(({ name }) => name) };
}

/** The fewest letters to put in, leave out, replace or swap, as far as they are no more than `most`. */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      next.push(cost);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? most + 1;
}

function withoutAspects(text: string): string {
  return aspectsIn(text).reduce(
    (rest, { at, length }) => `${rest.slice(0, at)}${' '.repeat(length)}${rest.slice(at + length)}`,
    text,
  );
}

function without(text: string, name: string): string {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return text.replaceAll(new RegExp(String.raw`(?<![\p{L}\p{N}_-])${escaped}(?![\p{L}\p{N}_-])(?:['’]s)?`, 'giu'), ' ');
}

function position(text: string, name: string): number {
  const at = text.indexOf(name.toLowerCase());
  return at < 0 ? text.length : at;
}
