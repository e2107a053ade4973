import { useEffect, useRef, useState, type ReactNode } from 'react';

/**
 * Draws its children once they are nearly in view; until then their place is kept, so that nothing jumps.
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
    return () => observer.disconnect();
  }, [isNear]);
  return (
    <div ref={box} style={isNear ? undefined : { minHeight }}>
      {isNear && children}
    </div>
  );
}
