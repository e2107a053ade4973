/** The submitted result of a check that a model carries out. */
import { z } from 'zod';
import { MAX_OBSERVATIONS } from '../checks/port.ts';

const text = (most: number) => z.string().trim().min(1).max(most);

const InstructionObservation = z.strictObject({
  subject: text(200).describe('The judged subject, named the same in every run, for example a service.'),
  text: text(1_000).describe('What was seen, with the decisive numbers.'),
  is_finding: z.boolean().optional().describe('Default: true when status is "finding".'),
  service: text(200).optional().describe('The service it concerns.'),
  evidence: z.array(z.number().int().min(1)).max(20).default([]).describe('Evidence numbers of tool results.'),
  excerpts: z
    .array(z.string().min(1).max(2_000))
    .max(10)
    .default([])
    .describe('Copied from the cited results character by character. A finding needs at least one.'),
});

export const InstructionResult = z.strictObject({
  status: z
    .enum(['ok', 'finding', 'failed'])
    .describe('ok: looked, and nothing is a finding. finding: at least one is. failed: no conclusion was possible.'),
  summary: text(500).describe('The result, or why there is no result, in one sentence.'),
  observations: z.array(InstructionObservation).max(MAX_OBSERVATIONS).default([]),
});
export type InstructionResult = z.infer<typeof InstructionResult>;

export const isFinding = (
  { status }: Pick<InstructionResult, 'status'>,
  observation: InstructionResult['observations'][number],
): boolean => observation.is_finding ?? status === 'finding';
