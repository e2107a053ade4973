import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { may, sessionQuery } from '../../api/session.ts';
import { StatusBadge } from '../../components/ui/badge.tsx';
import { duration, Elapsed, Time } from '../../components/ui/time.tsx';
import { Actions } from './actions.tsx';
import { ScrollBox } from '../../components/ui/scroll-box.tsx';
import { findingOfQuery, type Investigation } from './queries.ts';
import { Thread } from './thread.tsx';

/** Longer questions are truncated until expanded. */
const SHORT_QUESTION = 180;

export function Head({ investigation }: { investigation: Investigation }) {
  const { id, alert_summary, query, status, created_at, finished_at, rerun_of, trigger } = investigation;
  const title = alert_summary ?? shortened(firstLine(query));
  const isQuestionShown = title !== query.trim();
  return (
    <>
      <title>{`${title} · Casebook`}</title>
      <header className="pb-4">
        <h1 className="text-2xl font-semibold tracking-tight text-balance break-words">
          <bdi>{title}</bdi>
        </h1>
        <div className="mt-2 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-soft">
            <StatusBadge status={status} />
            <span>
              Started <Time at={created_at} />
            </span>
            {finished_at === null ? (
              <span>
                Running for <Elapsed since={created_at} />
              </span>
            ) : (
              <span>Took {duration(Date.parse(finished_at) - Date.parse(created_at))}</span>
            )}
            {rerun_of !== null && (
              <Link
                to="/investigation/$investigationId"
                params={{ investigationId: rerun_of }}
                className="text-accent underline"
              >
                Rerun of an earlier investigation
              </Link>
            )}
          </div>
          <div className="flex flex-wrap gap-2">
            <Actions investigation={investigation} />
          </div>
        </div>
      </header>
      {trigger === 'finding' && <OpenedByFinding id={id} />}
      {isQuestionShown && <Question text={query} title={title} />}
    </>
  );
}

function OpenedByFinding({ id }: { id: string }) {
  const { data: session } = useQuery(sessionQuery);
  const { data: finding } = useQuery({ ...findingOfQuery(id), enabled: may(session, 'monitoring:read') });
  return finding && <Thread finding={finding} />;
}

function Question({ text, title }: { text: string; title: string }) {
  if (text.length <= SHORT_QUESTION && !text.includes('\n')) {
    return (
      <p className="mb-4 border-l-2 border-line-strong pl-3 break-words text-ink-soft">
        <span className="sr-only">Asked: </span>
        <bdi>{text}</bdi>
      </p>
    );
  }
  return (
    <details className="mb-4 border-l-2 border-line-strong pl-3 wrap-anywhere text-ink-soft">
      <summary className="py-0.5">
        {shortened(firstLine(text)) === title ? (
          'Show full question'
        ) : (
          <>
            Asked: <bdi>{shortened(firstLine(text))}</bdi>
          </>
        )}
      </summary>
      <ScrollBox label="Full question" className="mt-1 max-h-96 break-words whitespace-pre-wrap">
        {text}
      </ScrollBox>
    </details>
  );
}

const shortened = (text: string): string =>
  text.length > SHORT_QUESTION ? `${text.slice(0, SHORT_QUESTION).trimEnd()}…` : text;

const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? '';
