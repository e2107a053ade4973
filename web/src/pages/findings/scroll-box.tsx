import type { ReactNode } from 'react';

/** Scrolls what is too large for it, also by the keyboard. @param label what is in it, for screen readers */
export const ScrollBox = ({
  label,
  className,
  children,
}: {
  label: string;
  className: string;
  children: ReactNode;
}) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by the keyboard
  <div tabIndex={0} role="region" aria-label={label} className={`overflow-auto ${className}`}>
    {children}
  </div>
);
