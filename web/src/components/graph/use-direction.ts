import { useLayoutEffect, useState, type RefObject } from 'react';
import type { Direction } from './types.ts';

const NARROW = 640;

/**
 * Callees go below their callers if there is no room beside them. @returns undefined until the available space is known
 */
export function useDirection(box: RefObject<HTMLElement | null>): Direction | undefined {
  const [direction, setDirection] = useState<Direction>();
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setDirection(element.clientWidth < NARROW ? 'down' : 'right'));
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return direction;
}
