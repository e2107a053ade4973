import { clsx } from 'clsx';
import type { ReactNode } from 'react';

/** A titled part of a page. */
export function Panel(props: {
  title?: ReactNode;
  /** Controls to the right of the title. */
  actions?: ReactNode;
  id?: string;
  className?: string;
  children: ReactNode;
}) {
  const { title, actions, id, className, children } = props;
  return (
    <section id={id} className={clsx('min-w-0 rounded-lg border bg-surface', className)}>
      {title !== undefined && (
        <div className="flex min-h-12 flex-wrap items-center gap-2 border-b px-4 py-1.5">
          <h2 className="min-w-0 flex-1 font-semibold">{title}</h2>
          {actions}
        </div>
      )}
      <div className="p-4">{children}</div>
    </section>
  );
}

/** The head of a page: title, description, actions. */
export function PageHead(props: { title: ReactNode; description?: ReactNode; actions?: ReactNode }) {
  return (
    <header className="flex flex-wrap items-start gap-x-4 gap-y-2 pb-4">
      <div className="min-w-0 flex-1 basis-60">
        <h1 className="text-2xl font-semibold tracking-tight break-words">{props.title}</h1>
        {props.description !== undefined && <div className="mt-1 text-ink-soft">{props.description}</div>}
      </div>
      {props.actions !== undefined && <div className="flex flex-wrap gap-2">{props.actions}</div>}
    </header>
  );
}
