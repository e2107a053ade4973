import { X } from 'lucide-react';
import { Toast as Radix } from 'radix-ui';
import { createContext, use, useCallback, useState, type ReactNode } from 'react';
import { messageOf } from '../../app/message-of.ts';
import { Button } from './button.tsx';

interface Toast {
  id: number;
  text: string;
  isError: boolean;
}

export interface Toaster {
  /** Reports success. */
  say(text: string): void;
  /** Reports a failure; accepts anything thrown. */
  fail(error: unknown): void;
}

const Context = createContext<Toaster | undefined>(undefined);
let lastId = 0;

/** Short messages that disappear on their own and are read out by screen readers; errors stay longer. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const add = useCallback((text: string, isError: boolean) => {
    setToasts((shown) => [...shown.slice(-3), { id: ++lastId, text, isError }]);
  }, []);
  const [toaster] = useState<Toaster>(() => ({
    say: (text) => add(text, false),
    fail: (error) => add(messageOf(error), true),
  }));
  return (
    <Context value={toaster}>
      <Radix.Provider swipeDirection="right">
        {children}
        {toasts.map(({ id, text, isError }) => (
          <Radix.Root
            key={id}
            duration={isError ? 12_000 : 4_000}
            onOpenChange={(open) => {
              if (!open) setToasts((shown) => shown.filter((toast) => toast.id !== id));
            }}
            className={`flex items-start gap-2 rounded-md border bg-surface py-2 pr-2 pl-4 shadow-pop ${isError ? 'border-bad' : ''}`}
          >
            <Radix.Description className={`min-w-0 flex-1 py-1 break-words ${isError ? 'text-bad' : ''}`}>
              {text}
            </Radix.Description>
            <Radix.Close asChild>
              <Button variant="quiet" size="small" icon aria-label="Dismiss">
                <X aria-hidden size={16} />
              </Button>
            </Radix.Close>
          </Radix.Root>
        ))}
        <Radix.Viewport className="fixed right-0 bottom-0 z-50 flex w-[min(26rem,100vw)] flex-col gap-2 p-4 outline-none print:hidden" />
      </Radix.Provider>
    </Context>
  );
}

/** Lets a component report the outcome of an action. */
export function useToaster(): Toaster {
  const toaster = use(Context);
  if (toaster === undefined) throw new Error('useToaster needs a ToastProvider above it.');
  return toaster;
}
