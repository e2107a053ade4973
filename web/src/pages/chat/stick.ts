/** Keeps a growing conversation scrolled to its end while the reader is there. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';

/** A reader who scrolls down to within this distance of the end is at the end … */
const NEAR_PX = 80;
/** … and one who scrolls up further than this has left it. */
const AT_PX = 8;
/** Within this time a turn of the wheel has moved the page, or something in it. */
const WHEEL_MS = 200;

const distance = (): number => {
  const { scrollHeight } = document.documentElement;
  return scrollHeight - window.scrollY - window.innerHeight;
};

const toEnd = (): void => window.scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });

export interface Stick<Element extends HTMLElement> {
  /** The growing element. */
  content: RefObject<Element | null>;
  /** The reader has scrolled up: nothing moves the page under them. */
  isAway: boolean;
  toEnd: () => void;
}

/** @param isReady the conversation is loaded and opens at its end */
export function useStick<Element extends HTMLElement>(isReady: boolean): Stick<Element> {
  const content = useRef<Element>(null);
  const isAtEnd = useRef(true);
  const [isAway, setIsAway] = useState(false);

  useLayoutEffect(() => {
    if (isReady) toEnd();
  }, [isReady]);

  useEffect(() => {
    let last = window.scrollY;
    const onScroll = (): void => {
      const { scrollY } = window;
      // Growth is not scrolling up, and shrinking keeps the reader at the end.
      const hasGoneUp = scrollY < last - 1 && distance() > AT_PX;
      if (hasGoneUp) isAtEnd.current = false;
      else if (scrollY >= last && distance() < NEAR_PX) isAtEnd.current = true;
      last = scrollY;
      setIsAway(!isAtEnd.current);
    };
    let turnedUpAt = -Infinity;
    const onWheel = ({ deltaY, timeStamp }: WheelEvent): void => {
      if (deltaY < 0) turnedUpAt = timeStamp;
    };
    const observer = new ResizeObserver(() => {
      // Going to the end before the page has followed the wheel would undo the turn, and no scroll would tell.
      const isTurning = performance.now() - turnedUpAt < WHEEL_MS;
      if (isAtEnd.current && !isTurning) toEnd();
    });
    if (content.current !== null) observer.observe(content.current);
    addEventListener('wheel', onWheel, { passive: true });
    addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      removeEventListener('wheel', onWheel);
      removeEventListener('scroll', onScroll);
    };
  }, []);

  const jump = useCallback(() => {
    isAtEnd.current = true;
    setIsAway(false);
    toEnd();
  }, []);
  return { content, isAway, toEnd: jump };
}
