import { Field, Select } from '../../components/ui/field.tsx';
import { SEVERITY_WORDS, severityOf, STATUS_WORDS, statusOf } from './filter-values.ts';
import type { FindingStatus, FindingSummary } from './queries.ts';

interface FilterProps<T> {
  value: T | undefined;
  onChange: (value: T | undefined) => void;
}

export const StatusFilter = ({ value, onChange }: FilterProps<FindingStatus>) => (
  <Field label="Status" className="min-w-0 flex-1 basis-36 sm:flex-none sm:basis-52">
    {(control) => (
      <Select {...control} value={value ?? ''} onChange={(event) => onChange(statusOf(event.target.value))}>
        <option value="">Confirmed</option>
        {Object.entries(STATUS_WORDS).map(([status, word]) => (
          <option key={status} value={status}>
            {word}
          </option>
        ))}
      </Select>
    )}
  </Field>
);

export const SeverityFilter = ({ value, onChange }: FilterProps<FindingSummary['severity']>) => (
  <Field label="Severity" className="min-w-0 flex-1 basis-28 sm:flex-none sm:basis-36">
    {(control) => (
      <Select {...control} value={value ?? ''} onChange={(event) => onChange(severityOf(event.target.value))}>
        <option value="">All</option>
        {Object.entries(SEVERITY_WORDS).map(([severity, word]) => (
          <option key={severity} value={severity}>
            {word}
          </option>
        ))}
      </Select>
    )}
  </Field>
);
