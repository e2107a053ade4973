import type { OfferedList } from './suggestions.ts';

/** The datalists of the fields, rendered once for all checks. */
export const SuggestionLists = ({ lists }: { lists: readonly OfferedList[] }) =>
  lists.map(({ id, values }) => (
    <datalist key={id} id={id}>
      {[...new Set(values)].map((value) => (
        <option key={value} value={value} aria-label={value} />
      ))}
    </datalist>
  ));
