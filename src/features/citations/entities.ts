import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { teamColumns, teamFilter } from '../../db/base.ts';
import type { Claim } from './matcher/claims.ts';

/** Candidates for a model to choose excerpts from, and in the end its choice. Kept for a day. */
export const CitationExtraction = defineEntity({
  name: 'CitationExtraction',
  tableName: 'citation_extractions',
  filters: teamFilter,
  indexes: [{ properties: ['createdAt'] }],
  properties: {
    ...teamColumns,
    /** What the text claims with the citation. */
    claims: p.json<Claim[]>(),
    /** Verbatim excerpts of the tool result. */
    candidates: p.json<string[]>(),
    /** Verbatim parts of candidates that the model chose; null before, and if its answer held none. */
    excerpts: p.json<string[]>().strictNullable(),
  },
});
export type CitationExtraction = InferEntity<typeof CitationExtraction>;
