import { z } from 'zod';

/** Larger numbers are not citations. */
const LARGEST_CITATION = 1_000_000_000;
const TEXT_CHARACTERS = 200_000;

const ToolResult = z
  .unknown()
  .nonoptional()
  .transform((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  .describe(
    'The full data that a tool returned: text, or any JSON value. Excerpts of text are pieces of that text; excerpts of ' +
      'any other value are pieces of its JSON exactly as it was sent.',
  );

const CitationId = z
  .union([
    z.int().min(0).max(LARGEST_CITATION),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ])
  .describe('The number of the citation in the text: a whole number, or its digits.');

export const CitationExtractionRequest = z
  .object({
    tool_result: ToolResult,
    citation_id: CitationId,
    text_with_citation: z
      .string()
      .max(TEXT_CHARACTERS)
      .describe(
        'The text that cites the tool result, as [1], [1, 3], [1-3], [^1], 【1】 and the like. A text without citations ' +
          'is a claim as a whole; one that cites other numbers only has no excerpts.',
      ),
  })
  .meta({ id: 'CitationExtractionRequest' });

export const CitationExtractionResponse = z
  .object({
    excerpts: z
      .array(z.string())
      .describe('Verbatim chunks of the tool result that support the citation; empty when none does.'),
  })
  .meta({ id: 'CitationExtractionResponse' });
