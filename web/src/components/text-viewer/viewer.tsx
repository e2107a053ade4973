/** A long text; only the visible part is rendered. */
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { Failed } from '../ui/states.tsx';
import { placeOf, reachOf, type Excerpt } from './excerpts.ts';
import { LineList, type Place } from './line-list.tsx';
import type { Stored, StoredText } from './stored-text.ts';
import { Toolbar } from './toolbar.tsx';
import { useSearch } from './use-search.ts';

/** Up to this length the rest is fetched when idle. */
const FETCHED_WHEN_IDLE = 5_000_000;

export interface ViewerProps {
  stored: Stored;
  store: StoredText;
  excerpts: readonly Excerpt[];
}

const wrapped = (index: number, length: number): number => (length === 0 ? 0 : (index + length) % length);

export function Viewer({ stored, store, excerpts }: ViewerProps) {
  const { text, isWhole, head, error } = stored;
  const [words, setWords] = useState('');
  const [excerpt, setExcerpt] = useState(0);
  const [hit, setHit] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const search = useSearch(words, stored, store);
  const places = useMemo(() => excerpts.map((each) => placeOf(each, text, isWhole)), [excerpts, text, isWhole]);

  // Fetch only as much as the current position needs.
  const isAwaited = excerpts.length > 0 && places[excerpt] === undefined && !isWhole;
  useEffect(() => {
    if (isAwaited) store.want(reachOf(excerpts[excerpt], text.length));
  }, [isAwaited, excerpts, excerpt, text, store]);
  useEffect(() => {
    if (isAwaited || isWhole || (head?.characters ?? 0) > FETCHED_WHEN_IDLE) return undefined;
    const timer = setTimeout(() => store.want(text.length + 1), 300);
    return () => clearTimeout(timer);
  }, [isAwaited, isWhole, head, text, store]);

  const isSearching = words !== '';
  const step = (by: number): void => {
    if (isSearching) setHit((current) => wrapped(current + by, search.hits.length));
    else setExcerpt((current) => wrapped(current + by, excerpts.length));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isTyping = event.target === field.current;
    const key = (event.ctrlKey || event.metaKey ? 'Mod+' : '') + event.key;
    if (key === 'Mod+f' || (key === '/' && !isTyping)) field.current?.focus();
    else if (isTyping ? key === 'Enter' : key === 'n' || key === 'N') step(event.shiftKey || key === 'N' ? -1 : 1);
    else if (isTyping && key === 'Escape' && isSearching) setWords('');
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const span = isSearching ? search.hits[hit] : places[excerpt];
  const place = useMemo<Place | undefined>(() => span && { ...span, isHit: isSearching }, [span, isSearching]);
  const shown = search.words === words ? search.hits : [];
  return (
    // Keys work wherever the focus is inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      aria-label={`Result ${head?.evidence ?? 1} of ${head?.tool ?? 'the tool'}`}
      className="flex min-w-0 flex-col rounded-lg border bg-surface"
      onKeyDown={onKeyDown}
    >
      <Toolbar
        stored={stored}
        store={store}
        words={words}
        onWords={(value) => {
          setWords(value);
          setHit(0);
        }}
        field={field}
        search={search}
        hit={hit}
        excerpt={excerpt}
        places={places}
        onStep={step}
      />
      <LineList stored={stored} store={store} excerpts={places} hits={shown} place={place} />
      {error !== undefined && <Failed error={error} onRetry={store.retry} />}
    </section>
  );
}
