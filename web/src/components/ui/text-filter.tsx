import { clsx } from 'clsx';
import { useState } from 'react';
import { Field, Input } from './field.tsx';

export interface TextFilterProps {
  label: string;
  value: string | undefined;
  /** undefined selects everything. */
  onFilter: (value: string | undefined) => void;
  placeholder?: string;
  className?: string;
}

/** A list's filter by a whole name. It applies on Enter and when the field is left. */
export function TextFilter({ label, value = '', onFilter, placeholder = 'All', className }: TextFilterProps) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  // Going back may change the address.
  if (known !== value) {
    setKnown(value);
    setText(value);
  }
  const apply = (): void => {
    const name = text.trim();
    if (name !== value) onFilter(name === '' ? undefined : name);
  };
  return (
    <Field label={label} className={clsx('min-w-0 flex-1 basis-36', className)}>
      {(control) => (
        <Input
          {...control}
          type="search"
          maxLength={200}
          spellCheck={false}
          autoCapitalize="none"
          placeholder={placeholder}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onBlur={apply}
          onKeyDown={({ key, nativeEvent }) => {
            if (key === 'Enter' && !nativeEvent.isComposing) apply();
          }}
        />
      )}
    </Field>
  );
}
