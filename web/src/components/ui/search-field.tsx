import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Input } from './field.tsx';

/** Search once typing pauses for this long. */
const SETTLED_MS = 250;

export interface SearchFieldProps {
  label: string;
  /** The current search, from the address. */
  value: string;
  /** Called once typing settles; an empty text ends the search. */
  onSearch: (text: string) => void;
}

/** A search field for a list; `/` focuses it. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const [told, setTold] = useState(value);
  // Going back, or leaving the search, may change the address.
  if (known !== value) {
    setKnown(value);
    // Keep what was typed since the last call.
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
