import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';

export interface MenuProps {
  /** The button that opens it. */
  trigger: ReactNode;
  children: ReactNode;
  /** Called on close; prevent the default to move focus elsewhere than back to the button. */
  onCloseAutoFocus?: (event: Event) => void;
}

export function Menu({ trigger, children, onCloseAutoFocus }: MenuProps) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          {...(onCloseAutoFocus && { onCloseAutoFocus })}
          className="z-50 min-w-44 rounded-md border bg-surface p-1 text-ink shadow-pop"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

const ITEM =
  'flex w-full cursor-pointer items-center gap-2 rounded px-2.5 py-1.5 text-sm outline-none data-disabled:opacity-50 data-highlighted:bg-accent-soft data-highlighted:text-accent';

/** @param asChild renders its single child (a link) as the item */
export function MenuItem(props: { onSelect?: () => void; asChild?: boolean; disabled?: boolean; children: ReactNode }) {
  return <DropdownMenu.Item className={ITEM} {...props} />;
}

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <DropdownMenu.Label className="max-w-60 truncate px-2.5 py-1.5 text-sm text-ink-soft">{children}</DropdownMenu.Label>
);

export const MenuSeparator = () => <DropdownMenu.Separator className="my-1 h-px bg-line" />;
