/** Splits long answers. */

/** Size in bytes of each code unit in JSON text. */
function costOf(unit: number): number {
  if (unit === 0x22 || unit === 0x5c) return 2;
  // \n and the like take two bytes; other control characters are written as \u0000.
  if (unit < 0x20) return unit >= 8 && unit <= 13 && unit !== 11 ? 2 : 6;
  if (unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/**
 * Splits a text so that each part's JSON has at most `max` bytes. Surrogate pairs stay whole. Lazy: a part is cut when
 * it can be sent.
 * @param max at least 8: the longest character, and two quotes
 */
export function* partsOf(text: string, max: number): Generator<string> {
  let start = 0;
  let bytes = 2;
  for (let i = 0; i < text.length;) {
    const unit = text.charCodeAt(i);
    const isPair = isHigh(unit) && isLow(text.charCodeAt(i + 1));
    // A lone surrogate is written as \ud800.
    const cost = isPair ? 4 : isHigh(unit) || isLow(unit) ? 6 : costOf(unit);
    if (bytes + cost > max) {
      yield text.slice(start, i);
      start = i;
      bytes = 2;
    }
    bytes += cost;
    i += isPair ? 2 : 1;
  }
  if (start < text.length || text === '') yield text.slice(start);
}
