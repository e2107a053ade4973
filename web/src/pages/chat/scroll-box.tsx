import { clsx } from 'clsx';
import type { ReactNode } from 'react';

/** What is shown as it is written and scrolls within itself, by keyboard as well. */
export const ScrollBox = (props: { label: string; isCode?: boolean; className?: string; children: ReactNode }) => (
  <div
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- otherwise the keyboard could not scroll it
    tabIndex={0}
    role="region"
    aria-label={props.label}
    className={clsx(
      'overflow-auto',
      props.isCode === true ? 'font-mono text-xs whitespace-pre' : 'break-words whitespace-pre-wrap',
      props.className,
    )}
  >
    {props.children}
  </div>
);
