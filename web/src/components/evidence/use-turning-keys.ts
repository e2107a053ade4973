import { useEffect, useEffectEvent } from 'react';

type Direction = 1 | -1;

const KEYS: Readonly<Record<string, Direction>> = { j: 1, ArrowRight: 1, k: -1, ArrowLeft: -1 };
/** Letters are typed here, and arrows choose. */
const WRITING = 'input, textarea, select, [contenteditable]';
/** Arrows move something here. */
const MOVING = '[role=region], [role=application], [role=img], [role=tab]';

/** Where a key leads: nowhere while someone is typing or arrows move something else. */
function directionOf(event: KeyboardEvent): Direction | undefined {
  if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented || event.isComposing) return undefined;
  const target = event.target instanceof Element ? event.target : undefined;
  if (target?.closest(WRITING) || (event.key.startsWith('Arrow') && target?.closest(MOVING))) return undefined;
  return KEYS[event.key];
}

/** `j` and right arrow go to the next item, `k` and left arrow to the previous one. */
export function useTurningKeys<T>(
  isListening: boolean,
  towards: (direction: Direction) => T | undefined,
  turnTo: (next: T) => void,
): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const direction = directionOf(event);
    const next = direction === undefined ? undefined : towards(direction);
    if (next === undefined) return;
    event.preventDefault();
    turnTo(next);
  });
  useEffect(() => {
    if (!isListening) return undefined;
    const listener = (event: KeyboardEvent): void => onKeyDown(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, [isListening]);
}
