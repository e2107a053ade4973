/** The pull request that a report recommends: a result of `suggest_pr` in the same conversation. */
import { z } from 'zod';
import { parseJson } from '../../../platform/parse-json.ts';
import type { EvidenceReader, StoredEvidence } from '../../tools/index.ts';
import type { RecommendedPr } from './schema.ts';

/** Directly, or through the tool that calls those that are searched for. */
const TOOLS: ReadonlySet<string> = new Set(['suggest_pr', 'call_connected_tool']);

/** A change that was checked against a repository: what `suggest_pr` returns. */
export const suggestion = z.object({
  kind: z.literal('suggested_pull_request'),
  repository: z.string(),
  base: z.string(),
  base_commit: z.string(),
  title: z.string(),
  body: z.string(),
  reverts: z.object({ commit: z.string(), summary: z.string(), author: z.string(), at: z.string() }).optional(),
  files: z.array(
    z.object({
      path: z.string(),
      change: z.enum(['added', 'modified', 'deleted']),
      additions: z.number(),
      deletions: z.number(),
    }),
  ),
  diff: z.string(),
  diff_truncated: z.boolean().optional(),
  warnings: z.array(z.string()),
});
export type StoredSuggestion = z.infer<typeof suggestion>;

/** @returns undefined for another tool's result, and for an error */
export function readSuggestion({
  tool,
  content,
}: Pick<StoredEvidence, 'tool' | 'content'>): StoredSuggestion | undefined {
  return TOOLS.has(tool) ? suggestion.safeParse(parseJson(content)).data : undefined;
}

/** The suggestion with the evidence number that a report names, or the newest one. */
export function recommendedIn(evidence: readonly StoredEvidence[], named?: number): RecommendedPr | undefined {
  const found = evidence.flatMap((stored) => {
    const one = readSuggestion(stored);
    return one ? [{ toolCallId: stored.toolCallId, evidence: stored.evidence, ...one }] : [];
  });
  const chosen = found.find((one) => one.evidence === named) ?? found.at(-1);
  if (!chosen) return undefined;
  const { toolCallId, repository, base, title } = chosen;
  return { toolCallId, evidence: chosen.evidence, repository, base, title };
}

/** What a model can still correct. @returns undefined when the evidence is a suggestion */
export async function suggestionProblem(evidence: number, reader: EvidenceReader): Promise<string | undefined> {
  const stored = await reader.read(evidence);
  if (stored && readSuggestion(stored)) return undefined;
  return `recommended_pr.suggestion: evidence ${evidence} is not a successful result of suggest_pr; leave recommended_pr out, or name one.`;
}
