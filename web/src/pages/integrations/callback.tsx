import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { messageOf } from '../../app/message-of.ts';
import { PageHead } from '../../components/ui/panel.tsx';
import { Loading } from '../../components/ui/states.tsx';
import { integrationsQuery } from './queries.ts';
import { finishConsent } from './requests.ts';
import { isToSetUp, WebhookToSetUp } from './webhook.tsx';

/** Where a browser returns from a vendor's consent page, with a code or the reason why there is none. */
export function IntegrationCallbackPage() {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const finish = useMutation({
    mutationFn: () => {
      const given = new URLSearchParams(location.search);
      const [code, state, iss, refused] = ['code', 'state', 'iss', 'error'].map((name) => given.get(name));
      // None of it stays in the address or the history.
      history.replaceState(history.state, '', location.pathname);
      if (refused != null) throw new Error(`The vendor answered: ${refused.replaceAll('_', ' ')}.`);
      if (code == null || state == null) throw new Error('This page is opened by a vendor, with a code.');
      return finishConsent({ code, state, ...(iss != null && { iss }) });
    },
    onSuccess: async ({ webhook }) => {
      await queryClient.invalidateQueries({ queryKey: integrationsQuery.queryKey });
      if (isToSetUp(webhook)) return;
      await navigate({ to: '/integrations', replace: true });
    },
  });
  const webhook = finish.data?.webhook;
  const title = finish.isError ? 'Not connected' : finish.isSuccess ? 'Connected' : 'Connecting';
  const begin = useEffectEvent(() => {
    if (finish.isIdle) finish.mutate();
  });
  useEffect(() => begin(), []);
  return (
    <>
      <title>{`${title} · Casebook`}</title>
      <PageHead title={title} />
      {finish.error === null && !isToSetUp(webhook) ? (
        <Loading />
      ) : (
        <>
          {finish.error !== null && (
            <p role="alert" className="mb-3 text-bad">
              {messageOf(finish.error)}
            </p>
          )}
          {isToSetUp(webhook) && (
            <div className="mb-3">
              <WebhookToSetUp webhook={webhook} />
            </div>
          )}
          <Link to="/integrations" className="text-accent underline">
            Back to integrations
          </Link>
        </>
      )}
    </>
  );
}
