/** Citations: which excerpts of a tool result support what a text cites it for. */
import type { Room } from '../../room.ts';
import { CitationExtraction } from './entities.ts';
import { citationEndpoints } from './routes.ts';
export { chooseExcerpts, type ChooseExcerptsDeps } from './choose-excerpts.ts';
export { createExcerptMatcher, type ExcerptMatcher } from './excerpt-matcher.ts';
export { purgeExtractions } from './extract.ts';
export { createExcerptChooser } from './launch.ts';
export { hideCode } from './matcher/code.ts';
export { findExcerpts, type ExcerptQuery } from './matcher/find-excerpts.ts';
export { citedNumbers } from './matcher/markers.ts';
export { sentenceSpans } from './matcher/sentences.ts';
export type { CitationDeps } from './routes.ts';

export const citationsRoom = {
  name: 'citations',
  endpoints: citationEndpoints,
  entities: [CitationExtraction],
} satisfies Room;
