/** Follows a conversation that grows, as long as its reader is at its end. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';

/** So near the end of the page a reader is at its end. */
const NEAR_PX = 80;

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
    let height = document.documentElement.scrollHeight;
    const onScroll = (): void => {
      const grown = document.documentElement.scrollHeight !== height;
      height = document.documentElement.scrollHeight;
      // Where the page has grown since, it is not the reader who is further from its end.
      if (grown && isAtEnd.current) return;
      isAtEnd.current = distance() < NEAR_PX;
      setIsAway(!isAtEnd.current);
    };
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) toEnd();
      height = document.documentElement.scrollHeight;
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
