/** `j` and `k` go down and up through the links of a list; Enter opens the one with the focus, as always. */
import { useEffect, useRef, type RefObject } from 'react';
import { isForPage, useKeysChoice } from './shortcuts.ts';

/**
 * Which row comes next. Without one that has the focus, it begins at the first, whichever way one goes.
 * @param current its place from 0; -1 for none
 */
export const nextRow = (current: number, count: number, by: 1 | -1): number =>
  current === -1 ? 0 : Math.min(Math.max(current + by, 0), count - 1);

/**
 * Moves the focus over the rows of a list: the first link of each item. It works wherever the focus is, except where
 * somebody writes, and with the arrow keys while the focus is in the list. The Tab key goes through everything as ever.
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
