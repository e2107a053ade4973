import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { GitPullRequest } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { may, sessionQuery } from '../../api/session.ts';
import { messageOf } from '../../app/message-of.ts';
import { Button } from '../ui/button.tsx';
import { Field, Select } from '../ui/field.tsx';
import { Failed } from '../ui/states.tsx';
import { branchesQuery, openPullRequest, pullRequestsQuery, type Origin, type Suggestion } from './queries.ts';
import { PullRequestState } from './state.tsx';

/** Opens a suggested change as a pull request, and shows what becomes of it. */
export function OpenPullRequest({ origin, suggestion }: { origin: Origin; suggestion: Suggestion }) {
  const { data: session } = useQuery(sessionQuery);
  const mayRead = may(session, 'pull-requests:read');
  const { data, error, refetch } = useQuery({ ...pullRequestsQuery(origin), enabled: mayRead });
  const opened = data?.items.filter(({ tool_call_id: id }) => id === suggestion.tool_call_id) ?? [];
  const isThere = opened.some(({ status }) => status !== 'failed' && status !== 'conflict');
  return (
    <div className="flex flex-col gap-3 print:hidden">
      {opened.map((one) => (
        <PullRequestState key={one.pull_request_id} pullRequest={one} />
      ))}
      {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      {!isThere && data !== undefined && mayRead && may(session, 'pull-requests:write') && (
        <Form origin={origin} suggestion={suggestion} />
      )}
    </div>
  );
}

function Form({ origin, suggestion }: { origin: Origin; suggestion: Suggestion }) {
  const [base, setBase] = useState(suggestion.base);
  const [isDraft, setIsDraft] = useState(false);
  const queryClient = useQueryClient();
  const { data } = useQuery(branchesQuery(suggestion.repository));
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => openPullRequest(origin, suggestion, base, isDraft),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['pull-requests', origin] }),
  });
  const known = data?.branches.map(({ name }) => name) ?? [];
  const branches = known.includes(suggestion.base) ? known : [suggestion.base, ...known];
  return (
    <form
      aria-label="Open the pull request"
      className="flex flex-wrap items-end gap-x-4 gap-y-2"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <Field label="Merge into" className="min-w-40 basis-56">
        {(control) => (
          <Select {...control} value={base} disabled={isPending} onChange={({ target }) => setBase(target.value)}>
            {branches.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <label className="flex min-h-9 items-center gap-2 text-sm font-medium">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={isDraft}
          disabled={isPending}
          onChange={({ target }) => setIsDraft(target.checked)}
        />
        As a draft
      </label>
      <Button type="submit" variant="primary" disabled={isPending}>
        <GitPullRequest aria-hidden size={16} /> {isPending ? 'Opening…' : 'Open pull request'}
      </Button>
      {error !== null && (
        <p role="alert" className="basis-full text-sm wrap-anywhere text-bad">
          {error instanceof ApiError && error.code === 'change_conflicts'
            ? `${error.message} Ask for a new suggestion.`
            : messageOf(error)}
        </p>
      )}
    </form>
  );
}
