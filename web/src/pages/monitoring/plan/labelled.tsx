import { clsx } from 'clsx';
import { useId, type ReactNode } from 'react';

interface LabelledProps {
  /** Known in advance, so that issues can link to the control. */
  elementId: string;
  label: string;
  hint: string | undefined;
  error: string | undefined;
  isWide: boolean;
  /** It holds several controls, which label themselves. */
  isGroup?: boolean;
  children: (control: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode;
}

/** A control with label, hint and issues. */
export function Labelled({ elementId, label, hint, error, isWide, isGroup = false, children }: LabelledProps) {
  const about = useId();
  const isDescribed = hint !== undefined || error !== undefined;
  return (
    <div className={clsx('flex min-w-0 flex-col gap-1', isWide && 'sm:col-span-2 xl:col-span-3')}>
      {isGroup ? (
        <p className="text-sm font-medium">{label}</p>
      ) : (
        <label htmlFor={elementId} className="text-sm font-medium">
          {label}
        </label>
      )}
      {children({
        id: elementId,
        ...(isDescribed && { 'aria-describedby': about }),
        ...(error !== undefined && { 'aria-invalid': true as const }),
      })}
      {isDescribed && (
        <div id={about} className="text-sm">
          {hint !== undefined && <p className="text-ink-soft">{hint}</p>}
          {error !== undefined && <p className="break-words text-bad">{error}</p>}
        </div>
      )}
    </div>
  );
}
