import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Input } from './field.tsx';

/** A search is sent when nothing was typed for this long. */
const SETTLED_MS = 250;

export interface SearchFieldProps {
  label: string;
  /** What is searched for now, as the address has it. */
  value: string;
  /** Told once the typing settles; an empty text ends the search. */
  onSearch: (text: string) => void;
}

/** A field to search a list with; the key `/` leads to it. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const [told, setTold] = useState(value);
  // The address may change by going back, or by leaving the search.
  if (known !== value) {
    setKnown(value);
    // What was typed since it was told stays.
    if (value !== told) {
      setText(value);
      setTold(value);
    }
  }
  useEffect(() => {
    if (text.trim() === value) return undefined;
    const timer = setTimeout(() => {
      setTold(text.trim());
      onSearch(text.trim());
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text, value, onSearch]);
  return (
    <div className="relative w-full sm:w-72">
      <Search aria-hidden size={16} className="pointer-events-none absolute top-2.5 left-2.5 text-ink-soft" />
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        className="pl-8"
        maxLength={200}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </div>
  );
}
