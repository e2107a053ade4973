/** Normalizes words, so that the same thing said differently matches. */
import { stemmer } from 'stemmer';

/** Stop words. */
const STOP = new Set(
  `a an the and or but nor so as at by for from in into of off on onto out over per than that then there these this those
  to up upon via with within without while when where which who whom whose why how what if because since until though
  although is are was were be been being am has have had having do does did doing done can could may might must shall
  should will would it its itself they them their theirs he she his her we our you your i my me not no nor only just
  also too very more most less least such same other others another any some each every all both either neither own
  here now again once ever never still yet already even about around roughly approximately almost nearly
  der die das ein eine einer eines und oder ist sind war waren mit von für auf bei im am zu zum zur den dem des`.split(
    /\s+/u,
  ),
);

/** Words about what happened or how it is known, which data rarely contains. */
const TELLING = new Set(
  `rise rose risen raise increase grow grew climb jump spike surge peak reach hit exceed fall fell drop decline decrease
  shrink double triple show indicate suggest confirm reveal report see saw seen find found observe note look appear
  begin began start become became remain stay happen occur cause lead led due result mean point according accord during
  before after between since shortly minute second hour time value number amount level rate total average
  currently previously suddenly sharply quickly slowly heavily clearly likely probably evidence source claim data
  tool output log line entry record metric series problem issue incident outage trouble affect impact full use take
  took go went get got make made have come came keep kept run ran give exactly meanwhile one two three`
    .split(/\s+/u)
    .map(stemOf),
);

/** Synonyms in telemetry and speech, one group per line. */
const SAME = [
  'latency duration elapsed responsetime took p50 p90 p95 p99',
  'error errors failure fail failed exception err fatal 5xx',
  'memory mem rss heap oom anon ram',
  'database db postgres postgresql mysql sql',
  'connection conn connect',
  'request req rps qps call http',
  'message msg messages depth lag backlog',
  'restart restarted restarts restartcount',
  'deploy deployment deployed rollout release version',
  'timeout timedout',
  'exhausted unavailable full waiting',
  'disk volume filesystem storage mounted use',
  'kill killed oomkilled oom terminated',
  'consume consumer consumers group',
  'queue topic backlog',
  'percent pct ratio rate',
  'crash crashed panic exited crashloopbackoff',
  'expire expired expiry expiration',
].map((group) => group.split(' ').map(stemOf));

const related = new Map<string, string[]>();
for (const group of SAME) {
  for (const word of group) {
    related.set(word, [...(related.get(word) ?? []), ...group.filter((other) => other !== word)]);
  }
}

/** The stem of a word, ignoring case. Words with digits or in non-Latin scripts are their own stem. */
export function stemOf(word: string): string {
  const lower = word.toLowerCase();
  if (lower.length < 3 || lower.length > 40 || !/^[a-z]+$/u.test(lower)) return lower;
  return stemmer(lower);
}

/** @param word in lower case */
export const isStopWord = (word: string): boolean => STOP.has(word);

/** @param stem see {@link stemOf} */
export const isTelling = (stem: string): boolean => TELLING.has(stem);

/** Stems equivalent to this one. */
export const relatedStems = (stem: string): readonly string[] => related.get(stem) ?? [];

/** Chinese and Japanese, which do not separate words by spaces. */
export const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Text in such a script as pairs of neighbouring characters. */
export function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(0, -1).map((character, index) => character + characters[index + 1]);
}

/** The words in an identifier: `OrderController#create` is order, controller, create. */
export function partsOf(identifier: string): string[] {
  return identifier
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part.length > 1);
}

// Character classes, by table lookup: results of megabytes are read one character at a time.
export const OTHER = 0;
export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 3;
/** From a script without spaces, see `pairsOf`. */
export const PAIRED = 4;
export const LETTER = 5;
const UNKNOWN = 255;
const classes = new Uint8Array(65_536).fill(UNKNOWN);

/** @param code a UTF-16 code unit */
export function classOf(code: number): number {
  const known = classes[code]!;
  if (known !== UNKNOWN) return known;
  const character = String.fromCharCode(code);
  const found = /[0-9]/u.test(character)
    ? DIGIT
    : /\p{Lu}/u.test(character)
      ? UPPER
      : /\p{Ll}/u.test(character)
        ? LOWER
        : IDEOGRAPH.test(character)
          ? PAIRED
          : /[\p{L}\p{M}\p{N}]/u.test(character)
            ? LETTER
            : OTHER;
  classes[code] = found;
  return found;
}

export const isDigit = (text: string, at: number, to: number): boolean =>
  at < to && classOf(text.charCodeAt(at)) === DIGIT;
