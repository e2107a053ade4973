/** The matcher's worker thread, called by `excerpt-matcher.ts`. */
import { findMatches, type CandidateBounds, type ExcerptQuery, type Matches } from './find-excerpts.ts';

export interface MatchTask {
  query: ExcerptQuery;
  bounds: CandidateBounds;
}

export default function match({ query, bounds }: MatchTask): Matches {
  return findMatches(query, bounds);
}
