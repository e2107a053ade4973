/** The run's name for operators: one line of the question. */
export function titleOf(query: string): string {
  const line = query.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}
