import { clsx } from 'clsx';

export interface FilterProps {
  /** What the filter is about, for screen readers. */
  label: string;
  value: string | undefined;
  options: readonly { value: string; title: string }[];
  /** undefined selects everything. */
  onFilter: (value: string | undefined) => void;
}

/** A row of mutually exclusive choices; the first selects everything. */
export function Filter({ label, value, options, onFilter }: FilterProps) {
  const all: { value: string | undefined; title: string }[] = [{ value: undefined, title: 'All' }, ...options];
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-1 rounded-md bg-sunken p-0.5">
      {all.map((option) => (
        <button
          key={option.title}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onFilter(option.value)}
          className={clsx(
            'rounded px-2.5 py-1 text-sm font-medium whitespace-nowrap',
            option.value === value ? 'bg-surface text-ink shadow-sm' : 'text-ink-soft hover:text-ink',
          )}
        >
          {option.title}
        </button>
      ))}
    </div>
  );
}
