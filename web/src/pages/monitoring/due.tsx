import { Time, useNow } from '../../components/ui/time.tsx';

/** Anything due sooner than this, or overdue, is due any moment. */
const MOMENT_MS = 10_000;

/** When something will happen. @param at ISO 8601 */
export function Due({ at }: { at: string }) {
  const now = useNow(5_000);
  if (new Date(at).getTime() - now.getTime() < MOMENT_MS) return <span>at any moment</span>;
  return <Time at={at} />;
}
