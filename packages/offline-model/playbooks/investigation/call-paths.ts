import type { CaseFile } from './case-file.ts';

/** The shortest chain of observed calls from one service to another. */
export function pathBetween({ dependencies }: CaseFile, from: string, to: string): string[] | undefined {
  const edges = dependencies?.result.edges ?? [];
  const paths: string[][] = [[from]];
  const seen = new Set([from]);
  for (const path of paths) {
    const last = path.at(-1);
    if (last === to && path.length > 1) return path;
    for (const { caller, callee } of edges) {
      if (caller !== last || seen.has(callee)) continue;
      seen.add(callee);
      paths.push([...path, callee]);
    }
  }
  return undefined;
}
