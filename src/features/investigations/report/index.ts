/** The report of an investigation: how it is submitted, checked, written out, and composed when a run ends early. */
export { checkReport, checkReportAgainst, locateExcerpt } from './check.ts';
export { composeFallbackReport, type FallbackInput } from './fallback.ts';
export { describeLimit } from './limits.ts';
export { renderReport, type ReportMetadata } from './markdown.ts';
export * from './schema.ts';
export { submitReport } from './submit-report.ts';
