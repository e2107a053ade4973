/** Searches offers by words. Pure. */
import type { Offer } from './offer.ts';

/** A word in the name says more than one in the description. */
const NAME_WEIGHT = 3;

/**
 * The offers that contain a word of the query, best first: rare words count for more (as in tf-idf), words of the name
 * for more than those of the description. The exact name of an offer matches that offer alone. Ties keep the given
 * order.
 */
export function searchOffers(offers: readonly Offer[], query: string): Offer[] {
  const exact = offers.find(({ name }) => name === query.trim());
  if (exact) return [exact];
  const asked = [...new Set(words(query))];
  const texts = offers.map(({ name, satellite, what, description }) => ({
    name: new Set(words(`${name} ${satellite} ${what}`)),
    description: new Set(words(description)),
  }));
  const has = (text: (typeof texts)[number], word: string): boolean =>
    text.name.has(word) || text.description.has(word);
  const rarity = new Map(
    asked.map((word) => [word, Math.log(1 + offers.length / (1 + texts.filter((text) => has(text, word)).length))]),
  );
  const scoreOf = (text: (typeof texts)[number]): number =>
    asked.reduce((sum, word) => {
      const weight = text.name.has(word) ? NAME_WEIGHT : text.description.has(word) ? 1 : 0;
      return sum + weight * rarity.get(word)!;
    }, 0);
  return offers
    .map((offer, index) => ({ offer, score: scoreOf(texts[index]!) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ offer }) => offer);
}

/** Lower-case words without a plural `s`. */
function words(text: string): string[] {
  return text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1)
    .map((word) => (word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word));
}
