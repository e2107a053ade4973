import { Time, useNow } from '../../components/ui/time.tsx';

/** Anything due sooner than this, or overdue, is due now. */
const MOMENT_MS = 10_000;

/**
 * When something will happen.
 * @param at ISO 8601
 * @param word before a later time
 */
export function Due({ at, word }: { at: string; word?: string }) {
  const now = useNow(5_000);
  if (new Date(at).getTime() - now.getTime() < MOMENT_MS) return <span>Due now</span>;
  return (
    <span>
      {word} <Time at={at} />
    </span>
  );
}
