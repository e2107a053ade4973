/** Follows a conversation that grows, as long as its reader is at its end. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';

/** So near the end of the page a reader who comes down is at its end … */
const NEAR_PX = 80;
/** … and further away than that, one who goes up has left it. */
const AT_PX = 8;

const distance = (): number => {
  const { scrollHeight } = document.documentElement;
  return scrollHeight - window.scrollY - window.innerHeight;
};

const toEnd = (): void => window.scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });

export interface Stick<Element extends HTMLElement> {
  /** What grows. */
  content: RefObject<Element | null>;
  /** The reader has gone up: nothing moves the page under them. */
  isAway: boolean;
  toEnd: () => void;
}

/** @param isReady the conversation is there: it is opened at its end */
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
      // What grows makes nobody go up; what shrinks leaves one at the end.
      const hasGoneUp = scrollY < last - 1 && distance() > AT_PX;
      if (hasGoneUp) isAtEnd.current = false;
      else if (scrollY >= last && distance() < NEAR_PX) isAtEnd.current = true;
      last = scrollY;
      setIsAway(!isAtEnd.current);
    };
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) toEnd();
    });
    if (content.current !== null) observer.observe(content.current);
    addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
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
