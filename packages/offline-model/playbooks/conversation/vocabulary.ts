/** Words of questions, made comparable with the words of sources, alerts and services. */
import { words } from '../investigation/words.ts';

/** What people say, and the one word that stands for all of it. */
const SAME: [RegExp, string][] = [
  [/^(?:fail|error|err|broke|break|crash|down|outage|unavailab|unreachab|fault|reject|exception|5\d\d)/, 'fail'],
  [/^(?:slow|latenc|lag|delay|hang|hung|stuck|timeout|sluggish)/, 'slow'],
  [/^(?:website|site|frontend|storefront|shop|homepage)$/, 'storefront'],
  [/^(?:pay|paying|paid)$/, 'payment'],
  [/^(?:ordering|ordered)$/, 'order'],
  [/^(?:databases?|db|postgres|postgre|postgresql|mysql|mongo|mongodb|sql)$/, 'database'],
];

/** Words that say that something is asked, or that something is wrong, but not what. */
const GENERIC = new Set(
  (
    'fail slow wrong happen happened happening going broken bad degrade degraded degrading degradation spike spiking ' +
    'spiked high higher low lower drop dropped dropping rise rising increase increased increasing unhealthy healthy ' +
    'health status ok okay fine doing work working trouble strange weird odd here now right today currently again ' +
    'still suddenly keep keeps kept get getting got see seeing seen tell explain know find found look looking check ' +
    'help need want let customer user people team many much lot some something anything everything thing system ' +
    'deploy deployment release rollout change changed failing cause caused causing reason due because behind time ' +
    'minute hour last past recent recently latest first start started begin began around near between until show ' +
    'give list request call response answer question only just also really very too quick quickly asap hey hi hello ' +
    'thank thanks sorry kindly could maybe perhaps one two if or no not yes yet via per p50 p90 p95 p99 utc am pm ' +
    'don doesn isn aren didn won can ll re ve rate level message'
  ).split(' '),
);

/** Words that say what is to be looked up, not of which service. */
const LOOKED_UP = new Set(
  (
    'log line metric latency latencie cpu memory heap throughput traffic utilization connection pool restart replica ' +
    'disk percentile warn warning info debug search grep contain containing mention trace stack dependency dependencie ' +
    'depend dependent depending upstream downstream caller callee call use rely relie affected affect impact impacted ' +
    'suffer blast radius graph chart plot draw visualize visualise config configuration flag history commit error ' +
    'value average mean max min median peak service other else well still today'
  ).split(' '),
);

/** Comparable words: without stop words, one for all that mean the same. */
export function comparable(text: string): string {
  return words(text).map(canonical).join(' ');
}

/** What a text is about: its words without those that every question has. */
export function subjectWords(text: string): string[] {
  return [...new Set(words(text).map(canonical))].filter((word) => !GENERIC.has(word) && word.length > 1);
}

/** The words of a text that can tell which service is meant without naming it. */
export function tellingWords(text: string): string[] {
  return words(text).filter((word) => !GENERIC.has(canonical(word)) && !LOOKED_UP.has(word) && word.length > 1);
}

/** Whether a word is another way to say one of these words. */
export function isSaidBy(word: string, text: string): boolean {
  return words(text).map(canonical).includes(canonical(word));
}

function canonical(word: string): string {
  return SAME.find(([said]) => said.test(word))?.[1] ?? word;
}

/**
 * A question with plain words for the symptom it describes, so that alerts and metrics are found by it: `failing` has
 * nothing in common with `error_ratio` otherwise.
 */
export function withSymptom(text: string): string {
  const said = new Set(words(text).map(canonical));
  const extra = [
    ...(said.has('fail') ? ['fail errors error_ratio'] : []),
    ...(said.has('slow') && !said.has('fail') ? ['slow latency'] : []),
  ];
  return [text, ...extra].join('\n');
}
