import { clsx } from 'clsx';
import type { ReactNode } from 'react';

/** A list of names and values; its children are {@link Fact}s. */
export const Facts = ({ children, className }: { children: ReactNode; className?: string }) => (
  <dl className={clsx('grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm', className)}>{children}</dl>
);

/** @param className of the value */
export const Fact = ({ name, children, className }: { name: string; children: ReactNode; className?: string }) => (
  <>
    <dt className="text-ink-soft">{name}</dt>
    <dd className={clsx('min-w-0 break-words', className)}>{children}</dd>
  </>
);
