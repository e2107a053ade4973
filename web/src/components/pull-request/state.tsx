import { ExternalLink } from 'lucide-react';
import { Badge, type Tone } from '../ui/badge.tsx';
import type { PullRequest } from './queries.ts';

const STATES: Record<PullRequest['status'], { tone: Tone; word: string; live?: boolean }> = {
  pending: { tone: 'accent', word: 'Being opened', live: true },
  open: { tone: 'accent', word: 'Open' },
  merged: { tone: 'good', word: 'Merged' },
  closed: { tone: 'neutral', word: 'Closed' },
  conflict: { tone: 'warn', word: 'Does not apply any more' },
  failed: { tone: 'bad', word: 'Could not be opened' },
};

const CHECKS: Partial<Record<PullRequest['checks'], { tone: Tone; word: string }>> = {
  pending: { tone: 'neutral', word: 'Checks running' },
  passing: { tone: 'good', word: 'Checks passed' },
  failing: { tone: 'bad', word: 'Checks failed' },
};

const REVIEWS: Partial<Record<PullRequest['review'], { tone: Tone; word: string }>> = {
  approved: { tone: 'good', word: 'Approved' },
  changes_requested: { tone: 'warn', word: 'Changes requested' },
};

/** What became of a pull request at its host. */
export function PullRequestState({ pullRequest }: { pullRequest: PullRequest }) {
  const { status, number, url, repository, base, draft, error, conflicts } = pullRequest;
  const { tone, word, live } = STATES[status];
  const marks = status === 'open' ? [CHECKS[pullRequest.checks], REVIEWS[pullRequest.review]] : [];
  return (
    <div role="status" className="flex flex-col gap-1.5">
      <p className="flex flex-wrap items-center gap-2">
        {number !== null && url !== null && /^https?:\/\//u.test(url) ? (
          <a href={url} target="_blank" rel="noopener noreferrer" className="font-medium text-accent underline">
            {repository}#{number} <ExternalLink aria-hidden size={14} className="inline" />
            <span className="sr-only">(opens in a new tab)</span>
          </a>
        ) : (
          <span className="font-medium wrap-anywhere">{repository}</span>
        )}
        <Badge tone={tone} {...(live === true && { live })}>
          {draft && status === 'open' ? 'Draft' : word}
        </Badge>
        {marks.map(
          (mark) =>
            mark && (
              <Badge key={mark.word} tone={mark.tone}>
                {mark.word}
              </Badge>
            ),
        )}
        <span className="text-sm text-ink-soft wrap-anywhere">into {base}</span>
      </p>
      {status === 'merged' && <p className="text-sm">Fixed by #{number}, merged.</p>}
      {error !== null && <p className="text-sm wrap-anywhere text-ink-soft">{error}</p>}
      {status === 'conflict' && <Conflicts conflicts={conflicts} />}
    </div>
  );
}

/** Where a change does not apply. */
export const Conflicts = ({ conflicts }: { conflicts: PullRequest['conflicts'] }) => (
  <ul className="list-disc pl-5 text-sm wrap-anywhere">
    {conflicts.map(({ path, problem }) => (
      <li key={`${path} ${problem}`}>
        {path !== undefined && <code>{path}</code>} {problem}
      </li>
    ))}
  </ul>
);
