/** The report of an investigation: submitted, checked, rendered, and composed if a run ends early. */
export { checkReport, checkReportAgainst, locateExcerpt } from './check.ts';
export { composeFallbackReport, type FallbackInput } from './fallback.ts';
export { describeLimit } from './limits.ts';
export { renderReport, type ReportMetadata } from './markdown.ts';
export * from './schema.ts';
export { submitReport } from './submit-report.ts';
