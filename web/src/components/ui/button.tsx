import { clsx } from 'clsx';
import { Slot } from 'radix-ui';
import type { ComponentProps } from 'react';

export type ButtonVariant = 'primary' | 'plain' | 'quiet' | 'danger';

const VARIANTS: Record<ButtonVariant, string> = {
  primary: 'bg-accent text-accent-ink hover:opacity-90',
  plain: 'border border-line-strong bg-surface text-ink hover:bg-sunken',
  quiet: 'text-ink-soft hover:bg-sunken hover:text-ink',
  danger: 'border border-bad text-bad bg-surface hover:bg-bad-soft',
};

export interface ButtonProps extends ComponentProps<'button'> {
  variant?: ButtonVariant;
  size?: 'small' | 'usual';
  /** Shows only an icon; pass the name as `aria-label`. */
  icon?: boolean;
  /** Renders its single child (a link) as a button. */
  asChild?: boolean;
}

/** A button whose `type` defaults to "button", so that no form is submitted by accident. */
export function Button({ variant = 'plain', size = 'usual', icon, asChild, className, ...rest }: ButtonProps) {
  const Element = asChild === true ? Slot.Root : 'button';
  return (
    <Element
      {...(asChild !== true && { type: 'button' })}
      className={clsx(
        'inline-flex items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none print:hidden',
        'disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:opacity-50',
        size === 'small' ? 'h-8 text-sm' : 'h-9',
        icon === true ? (size === 'small' ? 'w-8' : 'w-9') : size === 'small' ? 'px-2.5' : 'px-3.5',
        VARIANTS[variant],
        className,
      )}
      {...rest}
    />
  );
}
