/** Which service a person means. */
import type { ListServicesResult } from '../../../../src/features/tools/results.ts';
import { namesIn, words } from '../investigation/words.ts';
import { isSaidBy, tellingWords } from './vocabulary.ts';

interface MeantService {
  name: string;
  /** What the person said, where that is not the name. */
  said?: string;
  /** Other services that the same words may mean. */
  others: string[];
}

/** Parts of names that say nothing about which service it is. */
const COMMON_PARTS = new Set(['service', 'server', 'api', 'app', 'svc', 'prod', 'production', 'main', 'v1', 'v2']);

/**
 * The service that a text names: by its name, by all words of it, by one telling word of it, or by what it is
 * (`database`); undefined when it names none.
 */
export function serviceIn(text: string, services: ListServicesResult['services']): MeantService | undefined {
  const names = services.map(({ name }) => name);
  const [named] = namesIn(text, names);
  if (named !== undefined) return { name: named, others: [] };
  for (const word of tellingWords(text)) {
    const byPart = names.filter((name) => words(name).some((part) => part === word && !COMMON_PARTS.has(part)));
    if (byPart[0] !== undefined) return { name: byPart[0], said: asSaid(text, word), others: byPart.slice(1) };
  }
  for (const word of tellingWords(text)) {
    const byKind = services.filter(({ name }) => isSaidBy(word, name)).map(({ name }) => name);
    const found = byKind.length > 0 ? byKind : described(word, services);
    if (found[0] !== undefined) return { name: found[0], said: asSaid(text, word), others: found.slice(1) };
  }
  return undefined;
}

/** The word as it stands in the text. */
function asSaid(text: string, word: string): string {
  return text.match(/[\p{L}\p{N}_-]+/gu)?.find((one) => words(one).includes(word)) ?? word;
}

/** A word in a description says only something where few services have it. */
function described(word: string, services: ListServicesResult['services']): string[] {
  const found = services.filter(({ description = '' }) => isSaidBy(word, description)).map(({ name }) => name);
  return found.length <= Math.max(1, services.length / 4) ? found : [];
}

/** What stands where a service is named (`logs of billing`) and is no pronoun: to be told that there is no such service. */
export function objectIn(text: string): string | undefined {
  const found = [
    ...text.matchAll(
      /\b(?:of|for|from|on|by|in|about|does|is|did|with)\s+(?:the\s+|our\s+|my\s+)?[`"']?([\p{L}\d][\p{L}\d._-]*)/giu,
    ),
  ];
  return found
    .map(([, object = '']) => object)
    .find((object) => words(object).length > 0 && !NO_OBJECT.test(object) && !/^\d/.test(object));
}

const NO_OBJECT =
  /^(?:it|its|they|them|that|this|there|those|these|which|what|who|service|services|logs?|metrics?|changes?|errors?|p\d\d|latency|cpu|memory|the|last|past|each|all|every|any|incident|time|minutes?|hours?|error|warn|info|debug|level|happen(?:ed|ing)?|going|wrong|chart|detail|short|total|any(?:one|body|thing)|some(?:one|body|thing)|every(?:one|body|thing)|nobody|nothing|there|case|fact|general|particular|order|more|him|her|them|us|here|now|today|affected|impacted|healthy|slow|down|failing|depend|call|use|have|production|you|me|us|we|people)$/i;
