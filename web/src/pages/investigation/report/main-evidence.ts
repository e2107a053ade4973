/** The one result that shows most directly why the cause is the cause. Pure. */
import { TRACE_TOOL } from '../../../components/evidence/tool-views.ts';
import { allCalls, citedCall } from '../evidence/citation-order.ts';
import type { Investigation, Report, ToolCall } from '../queries.ts';

const MARKER = /\[(\d{1,3})\]/g;

/**
 * The first cited call of the cause's statement, then of its summary, that can be drawn; otherwise a chart of the
 * service at fault, or any trace.
 */
export function mainEvidence(investigation: Investigation, report: Report): ToolCall | undefined {
  const { service, statement } = report.root_cause;
  if (service === null) return undefined;
  const cited = [...`${statement} ${report.summary}`.matchAll(MARKER)].flatMap(([, n]) => {
    const citation = investigation.citations.find((one) => one.n === Number(n));
    return (citation && citedCall(investigation, citation)) ?? [];
  });
  const others = allCalls(investigation).filter((call) => isAbout(call, service));
  return [...cited, ...others].find(isDrawable) ?? allCalls(investigation).find(isTrace);
}

const isDrawable = (call: ToolCall): boolean => call.has_series || isTrace(call);
export const isTrace = (call: ToolCall): boolean =>
  call.name === TRACE_TOOL && call.status === 'completed' && !call.is_error;

function isAbout({ input }: ToolCall, service: string): boolean {
  return typeof input === 'object' && input !== null && 'service' in input && input.service === service;
}
