/** What a place shows while it has no content. */
import { CircleAlert } from 'lucide-react';
import { useEffect, useEffectEvent, type ReactNode } from 'react';
import { pollMs } from '../../api/polling.ts';
import { messageOf } from '../../app/message-of.ts';
import { Button } from './button.tsx';

/** Placeholder lines, announced to screen readers as "Loading". */
export function Loading({ lines = 3 }: { lines?: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3 py-2">
      {Array.from({ length: lines }, (_, line) => (
        <div
          key={line}
          className="h-4 animate-pulse rounded bg-sunken"
          style={{ width: `${90 - ((line * 17) % 50)}%` }}
        />
      ))}
    </div>
  );
}

/** Nothing here yet: what would be, and how to get started. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="rounded-lg border border-dashed px-6 py-10 text-center">
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="mt-1 text-ink-soft">{children}</div>}
    </div>
  );
}

/**
 * Loading failed: the reason, and a button to retry. While it is shown, what may pass is retried without a click: a page
 * left open recovers from a restart of the API.
 */
export function Failed({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const everyMs = onRetry !== undefined && pollMs(error, false);
  const retry = useEffectEvent(() => {
    if (document.visibilityState === 'visible') onRetry?.();
  });
  useEffect(() => {
    if (everyMs === false) return undefined;
    const timer = setInterval(() => retry(), everyMs);
    const onBack = (): void => retry();
    addEventListener('online', onBack);
    document.addEventListener('visibilitychange', onBack);
    return () => {
      clearInterval(timer);
      removeEventListener('online', onBack);
      document.removeEventListener('visibilitychange', onBack);
    };
  }, [everyMs]);
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 rounded-lg border border-bad bg-bad-soft px-4 py-3 text-bad"
    >
      <CircleAlert aria-hidden size={18} />
      <span className="min-w-0 flex-1 break-words">
        {messageOf(error)}
        {everyMs !== false && ' Retrying automatically.'}
      </span>
      {onRetry !== undefined && (
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
