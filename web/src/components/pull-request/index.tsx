import { useQuery } from '@tanstack/react-query';
import { Failed, Loading } from '../ui/states.tsx';
import { OpenPullRequest } from './open-pull-request.tsx';
import { ProposedChange } from './proposed-change.tsx';
import { suggestionQuery, type Origin, type Suggestion } from './queries.ts';

/** A suggested change with its diff, and its pull request. */
export const SuggestedPullRequest = ({ origin, suggestion }: { origin: Origin; suggestion: Suggestion }) => (
  <ProposedChange suggestion={suggestion}>
    <OpenPullRequest origin={origin} suggestion={suggestion} />
  </ProposedChange>
);

/** {@link SuggestedPullRequest} from the result of a call of `suggest_pr`; nothing if the call failed. */
export function SuggestedByCall({ origin, toolId }: { origin: Origin; toolId: string }) {
  const { data, error, refetch } = useQuery(suggestionQuery(toolId));
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  return data && <SuggestedPullRequest origin={origin} suggestion={data} />;
}
