/** The report a model submits: the input of the `submit_report` tool. */
import { z } from 'zod';

const cited = (meaning: string, max: number) =>
  z.string().trim().min(1).max(max).describe(`${meaning} Cite evidence as [n], n being the number of a citation.`);

export const hypothesisSchema = z.object({
  statement: cited('What might be the cause.', 1_000),
  verdict: z.enum(['supported', 'ruled_out', 'open']),
  reasoning: cited('Why the evidence supports it, rules it out or leaves it open.', 4_000),
});

export const citationSchema = z.object({
  n: z.number().int().min(1).max(200).describe('The number used as [n] in the text.'),
  evidence: z.number().int().min(1).describe('The evidence number of the tool result that is cited.'),
  excerpts: z
    .array(z.string().min(1).max(2_000))
    .min(1)
    .max(10)
    .describe('Verbatim pieces of that tool result, copied exactly; each is checked by string search.'),
});

export const reportSchema = z.object({
  title: z.string().trim().min(1).max(160).describe('One line that names the cause and the effect.'),
  root_cause: z.object({
    service: z.string().trim().min(1).max(200).nullable().describe('The service at fault, null if it is not known.'),
    statement: cited('The root cause in a few sentences.', 4_000),
  }),
  confidence: z.number().min(0).max(1).describe('Probability that the root cause is right.'),
  summary: cited('What happened and why, in a short paragraph.', 8_000),
  hypotheses: z.array(hypothesisSchema).max(20),
  timeline: z
    .array(
      z.object({ at: z.string().min(1).max(40).describe('ISO 8601 time.'), event: cited('What happened.', 1_000) }),
    )
    .max(50),
  impact: cited('Who and what is affected, and how much.', 4_000),
  recommended_change: z
    .object({ summary: z.string().trim().min(1).max(400), details: z.string().trim().max(8_000).optional() })
    .describe('What to do first, and how to verify it.'),
  recommended_pr: z
    .object({ suggestion: z.number().int().min(1).describe('The evidence number of a successful suggest_pr call.') })
    .nullish()
    .describe('The pull request to open, if one was suggested.'),
  citations: z.array(citationSchema).max(100),
});

export type Report = z.infer<typeof reportSchema>;
export type Hypothesis = z.infer<typeof hypothesisSchema>;
export type Citation = z.infer<typeof citationSchema>;

/** A checked citation: what the reader may rely on. */
export interface CheckedCitation {
  n: number;
  evidence: number;
  /** null if the conversation has no such evidence. */
  toolCallId: string | null;
  tool: string | null;
  /** The source that was queried; absent if none was. */
  source?: string;
  /** sha256 of the whole stored tool result. */
  sha256: string | null;
  excerpts: { text: string; verified: boolean; /** Character offset in the stored result. */ offset: number | null }[];
}

/**
 * Where a confidence comes from: `measured` on known incidents at evidence like this, or `stated` by the model, where
 * nothing was measured or its number is lower.
 */
export const confidenceBasis = z.enum(['measured', 'stated']);
export type ConfidenceBasis = z.infer<typeof confidenceBasis>;

/** The trouble as people feel it, from the ranking. */
export const symptom = z.object({
  service: z.string(),
  since: z.string().nullable().describe('When it began, as far as the data shows.'),
  ongoing: z.boolean().nullable().describe('Whether it lasted at `as_of`; null if no metric tells.'),
  as_of: z.string().nullable(),
  recorded: z.boolean().describe('`as_of` is a time of a recording.'),
});
export type Symptom = z.infer<typeof symptom>;

/** The pull request that a report recommends; the change itself is in the result of the tool call. */
export interface RecommendedPr {
  /** Of `suggest_pr`. */
  toolCallId: string;
  evidence: number;
  repository: string;
  base: string;
  title: string;
}

/** A checked report. */
export interface CheckedReport extends Omit<Report, 'citations' | 'recommended_pr'> {
  /** Default: stated. */
  confidenceBasis?: ConfidenceBasis;
  citations: CheckedCitation[];
  /** Absent if nothing was ranked. */
  symptom?: Symptom;
  /** Absent if none was suggested. */
  recommendedPr?: RecommendedPr;
  /** Sentences that cite nothing verified, or a missing number. */
  unverifiedClaims: { where: string; claim: string; why: string }[];
}
