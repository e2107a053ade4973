import { clsx } from 'clsx';
import type { ReactNode } from 'react';

/** A scrolling box that takes focus, so that the keyboard can scroll it too. */
export function ScrollBox({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by the keyboard
    <div role="region" aria-label={label} tabIndex={0} className={clsx('overflow-auto', className)}>
      {children}
    </div>
  );
}
