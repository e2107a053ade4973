/** Groups log lines by pattern. */
import type { LogLine } from '../types.ts';
import { DrainTree } from './drain.ts';
import { tokenize } from './tokens.ts';

export interface LogPattern {
  /** The text the lines share; `<*>` marks variable parts. */
  pattern: string;
  count: number;
  services: string[];
  level?: string;
  /** Unix seconds of the earliest and latest line. */
  first: number;
  last: number;
  /** The first lines seen. */
  examples: LogLine[];
}

export interface LogPatterns {
  /** Most frequent first. */
  patterns: LogPattern[];
  /** Lines of rare patterns evicted to bound memory. */
  other: number;
}

interface Group extends Omit<LogPattern, 'pattern' | 'services'> {
  services: Set<string>;
}

/**
 * Groups lines by pattern with Drain (He et al., ICWS 2017; see `drain.ts`): one pass, with memory bounded by the
 * number of patterns, not lines. Deterministic in the order of the lines.
 * @param options.most patterns kept at once
 * @param options.examples lines kept per pattern
 */
export function groupLogPatterns(
  lines: Iterable<LogLine>,
  options: { most?: number; examples?: number } = {},
): LogPatterns {
  const { most = 1_000, examples = 1 } = options;
  let other = 0;
  const tree = new DrainTree<Group>(most, (group) => (other += group.count));
  for (const line of lines) {
    const { group } = tree.add(tokenize(line.message), line.level ?? '', () => emptyGroup(line));
    group.count++;
    if (group.examples.length < examples) group.examples.push(line);
    group.services.add(line.service);
    group.first = Math.min(group.first, line.at);
    group.last = Math.max(group.last, line.at);
  }
  const patterns = tree
    .templates()
    .map(({ tokens, group }) => ({ ...group, pattern: tokens.join('').trim(), services: [...group.services].sort() }))
    .sort((a, b) => b.count - a.count || a.first - b.first);
  return { patterns, other };
}

function emptyGroup(line: LogLine): Group {
  return { count: 0, services: new Set(), level: line.level, first: line.at, last: line.at, examples: [] };
}
