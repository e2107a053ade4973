/** What is open next to the page, a citation or a tool call. Kept in the address, so that it can be linked. */
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useCallback, useRef } from 'react';
import type { OpenEvidence } from './evidence-of.ts';

const ROUTE = '/signed-in/investigation/$investigationId';

export function useOpenEvidence() {
  const { citation, call } = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: '/investigation/$investigationId' });
  const router = useRouter();
  /** Opened from this page, so going back closes it. */
  const isOneBack = useRef(false);

  const show = useCallback(
    (next: OpenEvidence, replace: boolean) =>
      void navigate({
        search: ({ citation: _citation, call: _call, ...rest }) => ({ ...rest, ...next }),
        resetScroll: false,
        replace,
      }),
    [navigate],
  );
  const open = useCallback(
    (next: OpenEvidence) => {
      isOneBack.current = true;
      show(next, false);
    },
    [show],
  );
  /** Replaces the open item without adding to the history. */
  const turnTo = useCallback((next: OpenEvidence) => show(next, true), [show]);
  const close = useCallback(() => {
    if (isOneBack.current) router.history.back();
    else show({}, true);
    isOneBack.current = false;
  }, [router, show]);

  return { opened: { citation, call } satisfies OpenEvidence, open, turnTo, close };
}
