/** `j` and `k` move through the links of a list; Enter opens the focused one, as always. */
import { useEffect, useRef, type RefObject } from 'react';
import { isForPage, useKeysChoice } from './shortcuts.ts';

/**
 * The next row. Without focus it starts at the first, in either direction.
 * @param current index, -1 for none
 */
export const nextRow = (current: number, count: number, by: 1 | -1): number =>
  current === -1 ? 0 : Math.min(Math.max(current + by, 0), count - 1);

/**
 * Moves focus through the rows of a list (the first link of each item), wherever the focus is unless someone is typing;
 * arrow keys work while the focus is in the list. Tab works as ever.
 * @example const list = useListKeys<HTMLUListElement>(); return <ul ref={list}>…
 */
export function useListKeys<List extends HTMLElement>(rows = 'li'): RefObject<List | null> {
  const list = useRef<List>(null);
  const hasLetters = useKeysChoice();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (!isForPage(event)) return;
      const by = directionOf(event.key, list.current?.contains(document.activeElement) === true, hasLetters);
      if (by === undefined || list.current === null) return;
      const links = [...list.current.querySelectorAll(rows)].flatMap((row) => row.querySelector('a') ?? []);
      const current = links.findIndex((link) => link.closest(rows)?.contains(document.activeElement) === true);
      const wanted = links[nextRow(current, links.length, by)];
      if (wanted === undefined) return;
      event.preventDefault();
      wanted.focus();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [rows, hasLetters]);
  return list;
}

function directionOf(key: string, isInList: boolean, hasLetters: boolean): 1 | -1 | undefined {
  if ((hasLetters && key === 'j') || (isInList && key === 'ArrowDown')) return 1;
  if ((hasLetters && key === 'k') || (isInList && key === 'ArrowUp')) return -1;
  return undefined;
}
