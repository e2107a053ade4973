/**
 * Parses JSON that was cut off: keeps complete values, drops the one that was cut, and closes what is open.
 * @returns undefined if not even the beginning is JSON
 */
export function parsePartialJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parsePrefix(text);
  }
}

function parsePrefix(text: string): unknown {
  const closers: string[] = [];
  // The last place to cut at that leaves only complete values.
  let cut: { at: number; closing: string } | undefined;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
      continue;
    }
    if (character === '"') inString = true;
    else if (character === '{') closers.unshift('}');
    else if (character === '[') closers.unshift(']');
    else if (character === '}' || character === ']') {
      closers.shift();
      cut = { at: at + 1, closing: closers.join('') };
    } else if (character === ',') cut = { at, closing: closers.join('') };
  }
  if (!cut) return undefined;
  try {
    return JSON.parse(text.slice(0, cut.at) + cut.closing);
  } catch {
    return undefined;
  }
}
