/** Which sources did not answer: what they know is missing. */
export function NotAnswered({ titles }: { titles: readonly string[] }) {
  if (titles.length === 0) return null;
  return (
    <p role="note" className="mb-3 text-sm break-words text-warn">
      No response from {new Intl.ListFormat('en').format(new Set(titles))}. Data from{' '}
      {titles.length === 1 ? 'this source' : 'these sources'} is missing.
    </p>
  );
}
