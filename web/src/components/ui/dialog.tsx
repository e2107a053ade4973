import { clsx } from 'clsx';
import { X } from 'lucide-react';
import { AlertDialog, Dialog as Radix } from 'radix-ui';
import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import { Button } from './button.tsx';

const OVERLAY = 'fixed inset-0 z-40 bg-black/50 print:hidden';
const BOX = 'fixed z-50 flex flex-col bg-surface text-ink shadow-pop focus:outline-none print:hidden';
const CENTRE = 'top-1/2 left-1/2 max-h-[90dvh] w-[min(38rem,94vw)] -translate-x-1/2 -translate-y-1/2 rounded-lg border';
const SIDE = 'inset-y-0 right-0 w-[min(60rem,100vw)] border-l';

/**
 * Radix returns focus to a dialog's trigger; these are opened by state and have none. Focus returns to the element that
 * had it when the dialog opened or, if that is gone (the button of a deleted row, for example), to the table or page
 * around it.
 */
function useFocusReturn() {
  const before = useRef<Element>(null);
  const around = useRef<HTMLElement>(null);
  const isDone = useRef(false);
  return {
    /** Call when the element that had focus is about to disappear. */
    done: () => {
      isDone.current = true;
    },
    handlers: {
      onOpenAutoFocus: () => {
        isDone.current = false;
        before.current = document.activeElement;
        around.current = document.activeElement?.closest<HTMLElement>('[role=region][tabindex]') ?? null;
      },
      onCloseAutoFocus: (event: Event) => {
        event.preventDefault();
        const places = [isDone.current ? null : before.current, around.current, document.querySelector('main')];
        const place = places.find(
          (element) => element instanceof HTMLElement && element.isConnected && element !== document.body,
        );
        if (place instanceof HTMLElement) place.focus({ preventScroll: true });
      },
    },
  };
}

/** A toast at the edge of the window swallows Escape; the user meant the dialog. */
const onEscape =
  (close: () => void) =>
  (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.defaultPrevented) close();
  };

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  /** Read out when the dialog opens. */
  description?: ReactNode;
  /** `side`: a panel over the right of the page, for reading next to it. */
  placement?: 'centre' | 'side';
  /** Stays open on outside clicks: what it shows is not shown again. */
  isSticky?: boolean;
  children: ReactNode;
  /** Stays below the scrolling content. */
  footer?: ReactNode;
}

/** A modal dialog: it traps focus, Escape closes it, and focus returns to where it was. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  placement = 'centre',
  isSticky = false,
  children,
  footer,
}: DialogProps) {
  const focusReturn = useFocusReturn();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={OVERLAY} />
        <Radix.Content
          className={clsx(BOX, placement === 'side' ? SIDE : CENTRE)}
          {...focusReturn.handlers}
          onKeyDown={onEscape(() => onOpenChange(false))}
          onInteractOutside={(event) => isSticky && event.preventDefault()}
          {...(description === undefined && { 'aria-describedby': undefined })}
        >
          <div className="flex items-start gap-3 border-b px-5 py-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-lg font-semibold break-words">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="text-sm text-ink-soft">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <Button variant="quiet" icon aria-label="Close">
                <X aria-hidden size={18} />
              </Button>
            </Radix.Close>
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto p-5">{children}</div>
          {footer !== undefined && <div className="flex justify-end gap-2 border-t px-5 py-3">{footer}</div>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export interface ConfirmProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** What will happen, and whether it can be undone. */
  description: ReactNode;
  /** The verb on the button, such as "Delete". */
  action: string;
  /** What not doing it means, such as "Keep running". Default: "Cancel". */
  keep?: string;
  onConfirm: () => void;
}

/** Asks for confirmation before something irreversible. */
export function Confirm({ open, onOpenChange, title, description, action, keep = 'Cancel', onConfirm }: ConfirmProps) {
  const focusReturn = useFocusReturn();
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={OVERLAY} />
        <AlertDialog.Content
          className={clsx(BOX, CENTRE, 'gap-4 overflow-y-auto p-5')}
          {...focusReturn.handlers}
          onKeyDown={onEscape(() => onOpenChange(false))}
        >
          <AlertDialog.Title className="text-lg font-semibold wrap-anywhere">{title}</AlertDialog.Title>
          <AlertDialog.Description className="text-ink-soft">{description}</AlertDialog.Description>
          <div className="flex justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button>{keep}</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button
                variant="danger"
                onClick={() => {
                  focusReturn.done();
                  onConfirm();
                }}
              >
                {action}
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
