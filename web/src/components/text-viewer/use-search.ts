/** Search in a stored text: the loaded part at once, the rest as it arrives. */
import { useEffect, useState } from 'react';
import { MAX_HITS, newSearch, searchOn, type Search } from './find.ts';
import type { Stored, StoredText } from './stored-text.ts';

const TYPING_MS = 150;

export interface SearchState extends Search {
  isBusy: boolean;
}

export function useSearch(words: string, { text, isWhole }: Stored, store: StoredText): SearchState {
  const [search, setSearch] = useState(() => newSearch(''));

  useEffect(() => {
    const timer = setTimeout(() => setSearch(newSearch(words)), words === '' ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [words]);

  // One slice per task, so that the page stays responsive however long the text is.
  useEffect(() => {
    const next = searchOn(search, text);
    if (next === search) return undefined;
    const timer = setTimeout(() => setSearch(next));
    return () => clearTimeout(timer);
  }, [search, text]);

  const hasEnough = search.hits.length >= MAX_HITS;
  useEffect(() => {
    if (search.words !== '' && !isWhole && !hasEnough) store.want(Infinity);
  }, [search.words, isWhole, hasEnough, store]);

  const isSearched = search.searched + search.words.length > text.length && isWhole;
  return { ...search, isBusy: search.words !== words || (words !== '' && !hasEnough && !isSearched) };
}
