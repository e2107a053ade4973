import { useEffect, useRef, useState, type ReactNode } from 'react';

/** The top is read first; the rest is rendered soon after, for search, print and jumps. */
const DRAWN_ANYHOW_AFTER_MS = 1_000;

/**
 * Renders its children once they are nearly in view, or after a moment; until then it reserves their space, so that
 * nothing jumps.
 */
export function Near({ minHeight, children }: { minHeight: number; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    if (isNear || box.current === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setIsNear(true);
      },
      { rootMargin: '400px' },
    );
    observer.observe(box.current);
    const timer = setTimeout(() => setIsNear(true), DRAWN_ANYHOW_AFTER_MS);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  }, [isNear]);
  return (
    <div ref={box} style={isNear ? undefined : { minHeight }}>
      {isNear && children}
    </div>
  );
}
