import { clsx } from 'clsx';
import { useId, type ComponentProps, type ReactNode } from 'react';

const BOX =
  'w-full rounded-md border border-line-strong bg-surface px-3 py-1.5 text-ink placeholder:text-ink-soft disabled:opacity-60 aria-invalid:border-bad';

export const Input = ({ className, ...rest }: ComponentProps<'input'>) => (
  <input className={clsx(BOX, 'h-9', className)} {...rest} />
);

export const Textarea = ({ className, ...rest }: ComponentProps<'textarea'>) => (
  <textarea className={clsx(BOX, 'block min-h-20 leading-normal', className)} {...rest} />
);

/** The platform's select, which every keyboard, phone and screen reader knows. */
export const Select = ({ className, ...rest }: ComponentProps<'select'>) => (
  <select className={clsx(BOX, 'h-9 pr-8', className)} {...rest} />
);

export interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  /** The error, read out with the control. */
  error?: ReactNode;
  className?: string;
  /** Receives the attributes that tie the control to its label, hint and error. */
  children: (control: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode;
}

/** A labelled control with hint and error. */
export function Field({ label, hint, error, className, children }: FieldProps) {
  const id = useId();
  const hasError = error !== undefined && error !== null && error !== '';
  const described = [hint !== undefined && `${id}-hint`, hasError && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={clsx('flex flex-col gap-1', className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({ id, ...(described && { 'aria-describedby': described }), ...(hasError && { 'aria-invalid': true }) })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-ink-soft">
          {hint}
        </p>
      )}
      {hasError && (
        <p id={`${id}-error`} className="text-sm text-bad">
          {error}
        </p>
      )}
    </div>
  );
}
