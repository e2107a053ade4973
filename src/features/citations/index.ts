/** Citations: which excerpts of a tool result support what a text cites it for. */
export { chooseExcerpts, type ChooseExcerptsDeps } from './choose-excerpts.ts';
export { createExcerptMatcher, type ExcerptMatcher } from './excerpt-matcher.ts';
export { purgeExtractions } from './extract.ts';
export { createExcerptChooser } from './launch.ts';
export { hideCode } from './matcher/code.ts';
export { findExcerpts, type ExcerptQuery } from './matcher/find-excerpts.ts';
export { citedNumbers } from './matcher/markers.ts';
export { sentenceSpans } from './matcher/sentences.ts';
export type { CitationDeps } from './routes.ts';
export { citationsRoom } from './room.ts';
