const PLACES: Record<string, string> = {
  'root_cause.statement': 'Root cause',
  summary: 'Summary',
  impact: 'Impact',
  'recommended_change.summary': 'What to do next',
  'recommended_change.details': 'What to do next',
};

/** A place in the report, in words. @example placeOf('hypotheses[1].reasoning') // 'Hypothesis 2' */
export function placeOf(where: string): string {
  const [, list, index] = /^(hypotheses|timeline)\[(\d+)\]/.exec(where) ?? [];
  if (list !== undefined) return `${list === 'timeline' ? 'Timeline' : 'Hypothesis'} ${Number(index) + 1}`;
  return PLACES[where] ?? where;
}
