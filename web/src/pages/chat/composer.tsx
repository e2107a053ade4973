import { CircleStop, SendHorizontal } from 'lucide-react';
import { useEffect, useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { isTouch, sendOnEnter } from '../../components/ui/composer-keys.ts';

export interface ComposerProps {
  text: string;
  onText: (text: string) => void;
  onSend: (text: string) => void;
  /** A turn is running: it can be cancelled, and no message can be sent. */
  isRunning: boolean;
  isStopping: boolean;
  onStop: () => void;
  /** Why no message can be sent here at all. */
  disabledBecause?: string | undefined;
  placeholder: string;
  /** Below the field, on the left. */
  children?: ReactNode;
}

/** The message field. */
export function Composer(props: ComposerProps) {
  const { text, onText, onSend, isRunning, isStopping, onStop, disabledBecause, placeholder, children } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const canSend = text.trim() !== '' && !isRunning && disabledBecause === undefined;

  useEffect(() => {
    if (isTouch()) return;
    const { current } = field;
    current?.focus({ preventScroll: true });
    current?.setSelectionRange(current.value.length, current.value.length);
  }, []);

  // Grows with its content up to its `max-height`.
  useLayoutEffect(() => {
    const { current } = field;
    if (current === null) return;
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight + 2}px`;
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the text is what changes its height
  }, [text]);

  const send = (): void => {
    if (canSend) onSend(text);
  };
  const reason =
    disabledBecause ?? (isRunning && text.trim() !== '' ? 'You can send once the answer is complete.' : '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      className="rounded-xl border border-line-strong bg-surface shadow-pop focus-within:border-accent"
    >
      <label htmlFor={id} className="sr-only">
        Message
      </label>
      <textarea
        id={id}
        ref={field}
        rows={1}
        value={text}
        maxLength={400_000}
        disabled={disabledBecause !== undefined}
        placeholder={placeholder}
        aria-describedby={`${id}-reason`}
        onChange={({ target }) => onText(target.value)}
        onKeyDown={sendOnEnter(send)}
        className="block max-h-[40dvh] w-full resize-none rounded-xl bg-transparent px-4 pt-3 pb-1 outline-none placeholder:text-ink-soft"
      />
      <div className="flex flex-wrap items-center justify-end gap-2 px-2 pb-2">
        {children}
        <p id={`${id}-reason`} role="status" className="ml-auto text-sm text-ink-soft">
          {reason}
        </p>
        {isRunning ? (
          <Button size="small" onClick={onStop} disabled={isStopping}>
            <CircleStop aria-hidden size={16} /> {isStopping ? 'Stopping…' : 'Stop'}
          </Button>
        ) : (
          <Button type="submit" variant="primary" size="small" disabled={!canSend}>
            <SendHorizontal aria-hidden size={16} /> Send
          </Button>
        )}
      </div>
    </form>
  );
}
