/** The report of an investigation: submitted, checked, rendered, and composed if a run ends early. */
export { checkReport, checkReportAgainst, locateExcerpt } from './check.ts';
export { calibrate } from './confidence.ts';
export { composeFallbackReport } from './fallback.ts';
export { renderReport } from './markdown.ts';
export { symptomOf } from './symptom.ts';
export * from './schema.ts';
export { readSuggestion, recommendedIn, suggestion, type StoredSuggestion } from './suggestion.ts';
export { submitReport } from './submit-report.ts';
