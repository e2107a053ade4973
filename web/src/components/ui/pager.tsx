import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button } from './button.tsx';

export interface PagerProps {
  /** From 1. */
  page: number;
  hasMore: boolean;
  /** Such as "1–20 of 134". */
  summary?: string;
  onPage: (page: number) => void;
}

/** Pages through a list; hidden if there is only one page. */
export function Pager({ page, hasMore, summary, onPage }: PagerProps) {
  if (page === 1 && !hasMore) return null;
  return (
    <nav aria-label="Pages" className="flex items-center justify-end gap-2 pt-3 text-sm text-ink-soft">
      {summary}
      <Button size="small" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        <ChevronLeft aria-hidden size={16} /> Newer
      </Button>
      <Button size="small" disabled={!hasMore} onClick={() => onPage(page + 1)}>
        Older <ChevronRight aria-hidden size={16} />
      </Button>
    </nav>
  );
}
