/** An escaped character, a bracket expression, or any other character. */
const SYMBOL = /\\.|\[\^?\]?(?:\[[:.=][^\]]*\]|[^\]])*\]|./su;

/**
 * Whether a pattern repeats what a group matched (`(a)\1`): POSIX has that in basic expressions only. The C library takes
 * it here as well, and then half a gigabyte for a single line.
 */
export const hasBackReference = (pattern: string): boolean =>
  pattern.matchAll(new RegExp(SYMBOL, 'gsu')).some(([symbol]) => /^\\[1-9]$/u.test(symbol));

/**
 * The number of symbols in a POSIX extended regular expression once its intervals (`x{2,5}`) are expanded. The C
 * library expands them before it matches: `(a{1,1000}){1,1000}` takes gigabytes of memory.
 */
export function expandedSize(pattern: string): number {
  const outer: number[] = [];
  let total = 0;
  let last = 0;
  for (let at = 0; at < pattern.length;) {
    const rest = pattern.slice(at);
    const interval = /^\{(\d*)(?:,(\d*))?\}/u.exec(rest);
    if (interval) {
      const times = Math.max(1, Number(interval[1] ?? 0), Number(interval[2] ?? 0));
      total += last * (times - 1);
      last *= times;
      at += interval[0].length;
    } else if (rest.startsWith('(')) {
      outer.push(total);
      total = 0;
      last = 0;
      at += 1;
    } else if (rest.startsWith(')') && outer.length > 0) {
      last = total + 1;
      total = (outer.pop() ?? 0) + last;
      at += 1;
    } else {
      at += (SYMBOL.exec(rest)?.[0] ?? ' ').length;
      last = 1;
      total += 1;
    }
  }
  return outer.reduce((sum, size) => sum + size, total);
}
