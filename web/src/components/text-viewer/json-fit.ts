/** Whether a JSON array or object fits on one line. */

const MAX_INLINE = 100;

export interface Fit {
  /** Its end, exclusive; undefined if it is too long for one line. */
  end?: number | undefined;
  /** The loaded text ends first, and more will come. */
  isUnknown?: boolean;
}

/** @param at position of the opening bracket */
export function fits(text: string, at: number, isWhole: boolean): Fit {
  const limit = at + MAX_INLINE;
  let depth = 0;
  let inString = false;
  for (let index = at; index < limit; index++) {
    if (index >= text.length) return isWhole ? {} : { isUnknown: true };
    const character = text.charAt(index);
    if (character === '\n') return {};
    if (inString) {
      if (character === '\\') index++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth++;
    else if ((character === '}' || character === ']') && --depth === 0) return { end: index + 1 };
  }
  return {};
}
