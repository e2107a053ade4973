/** Citations: which pieces of a tool result support what a text cites it for. */
export { findExcerpts, type ExcerptQuery } from './matcher/find-excerpts.ts';
export { citedNumbers } from './matcher/markers.ts';
