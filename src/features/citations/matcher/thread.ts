/** The matcher in a thread of its own: what `excerpt-matcher.ts` hands over is done here. */
import { findMatches, type CandidateBounds, type ExcerptQuery, type Matches } from './find-excerpts.ts';

export interface MatchTask {
  query: ExcerptQuery;
  bounds: CandidateBounds;
}

export default function match({ query, bounds }: MatchTask): Matches {
  return findMatches(query, bounds);
}
