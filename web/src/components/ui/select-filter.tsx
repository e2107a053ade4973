import { clsx } from 'clsx';
import { Field, Select } from './field.tsx';

export interface SelectFilterProps<T extends string> {
  label: string;
  value: T | undefined;
  options: readonly { value: T; title: string }[];
  /** undefined selects everything. */
  onFilter: (value: T | undefined) => void;
  /** The choice of everything. */
  all?: string;
  className?: string;
}

/** A list's filter with more choices than fit beside each other. */
export function SelectFilter<T extends string>(props: SelectFilterProps<T>) {
  const { label, value, options, onFilter, all = 'All', className } = props;
  const choose = (chosen: string): void => onFilter(options.find((option) => option.value === chosen)?.value);
  return (
    <Field label={label} className={clsx('min-w-0 flex-1 basis-36', className)}>
      {(control) => (
        <Select {...control} value={value ?? ''} onChange={({ target }) => choose(target.value)}>
          <option value="">{all}</option>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.title}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
