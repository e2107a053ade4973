/** Citations: which excerpts of a tool result support what a text cites it for. */
export { chooseExcerpts, type ChooseExcerptsDeps } from './choose-excerpts.ts';
export { createExcerptMatcher, type ExcerptMatcher } from './excerpt-matcher.ts';
export { purgeExtractions } from './extract.ts';
export { hideCode, sentenceSpans } from './matcher/sentences.ts';
export { findExcerpts, type ExcerptQuery } from './matcher/find-excerpts.ts';
export { citedNumbers } from './matcher/markers.ts';
export type { CitationDeps } from './routes.ts';
export { citationsRoom } from './room.ts';
