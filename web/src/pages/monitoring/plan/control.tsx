/** The control of one field of a plan. Invalid input stays as typed; the API says what is wrong with it. */
import { useState } from 'react';
import { Input, Select, Textarea } from '../../../components/ui/field.tsx';
import type { ValueField } from './field-types.ts';
import type { Json } from './json.ts';
import { DurationControl } from './duration-control.tsx';
import { QuietHoursControl } from './quiet-hours.tsx';
import { readers, type TextKind } from './text-values.ts';

export interface ControlProps {
  field: ValueField;
  value: Json | undefined;
  /** undefined removes the property. */
  onChange: (value: Json | undefined) => void;
  /** Ties the control to its label, hint and error. */
  control: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true };
  /** The id of the list of suggestions. */
  listId?: string;
  disabled: boolean;
}

export function Control(props: ControlProps) {
  const { field, value, onChange, control, disabled } = props;
  switch (field.kind) {
    case 'select':
      return (
        <Select
          {...control}
          disabled={disabled}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.target.value || undefined)}
        >
          {field.standard === undefined && <option value="">Any</option>}
          {field.options?.map((option) => (
            <option key={option.value} value={option.value}>
              {option.title}
            </option>
          ))}
        </Select>
      );
    case 'duration':
      return <DurationControl {...props} />;
    case 'quiet_hours':
      return <QuietHoursControl {...props} />;
    case 'switch':
    case 'choices':
      return null;
    default:
      return <Written {...props} kind={field.kind} />;
  }
}

/** A value edited as text; it is not reformatted while someone is typing. */
function Written({ field, value, onChange, control, listId, disabled, kind }: ControlProps & { kind: TextKind }) {
  const { read, show, isLong } = readers[kind];
  const [text, setText] = useState(() => show(value));
  const [known, setKnown] = useState(value);
  // The value may change elsewhere: another version is loaded, or another variant chosen.
  if (known !== value) {
    setKnown(value);
    if (!isSame(read(text, field), value)) setText(show(value));
  }
  const write = (next: string): void => {
    setText(next);
    onChange(read(next, field));
  };
  const common = { ...control, disabled, value: text, spellCheck: kind === 'text' || kind === 'multiline' };
  if (isLong) {
    return (
      <Textarea
        {...common}
        rows={kind === 'multiline' ? 4 : 2}
        className={kind === 'multiline' ? '' : 'min-h-16 font-mono text-sm'}
        onChange={(event) => write(event.target.value)}
      />
    );
  }
  return (
    <Input
      {...common}
      autoComplete="off"
      {...(kind === 'number' && { inputMode: 'decimal' as const })}
      {...(listId !== undefined && { list: listId })}
      onChange={(event) => write(event.target.value)}
    />
  );
}

const isSame = (a: Json | undefined, b: Json | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);
