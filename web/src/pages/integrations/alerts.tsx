import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../../api/client.ts';
import { Button } from '../../components/ui/button.tsx';
import { Panel } from '../../components/ui/panel.tsx';
import { Failed } from '../../components/ui/states.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { ChannelForm } from '../monitoring/settings/channel-form.tsx';
import { CHANNEL_FORMS, type Channel } from '../monitoring/settings/channels.ts';
import { SigningSecret } from '../monitoring/settings/signing-secret.tsx';
import { alertsQuery } from './queries.ts';

const setAlerts = (channel: Channel | null) => dataOf(api.PUT('/api/integrations/alerts', { body: { channel } }));

/** Where the team is told that an integration stops answering, and that it answers again. */
export function Alerts({ mayWrite }: { mayWrite: boolean }) {
  const { data: channel, error, refetch } = useQuery(alertsQuery);
  const [isChanging, setIsChanging] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const refresh = () => queryClient.invalidateQueries({ queryKey: alertsQuery.queryKey });
  const remove = useMutation({
    mutationFn: () => setAlerts(null),
    onSuccess: async () => {
      setSecret(null);
      toaster.say('Alerts go to whoever connected the system, by mail.');
      await refresh();
    },
    onError: toaster.fail,
  });
  return (
    <Panel title="Alerts" className="mt-6">
      {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      {channel !== undefined && (
        <p className="mb-3 wrap-anywhere text-ink-soft">
          {channel === null
            ? 'When an integration stops answering, whoever connected it gets a mail, if this installation can send mail.'
            : `When an integration stops answering, the team is told through ${CHANNEL_FORMS[channel.type].title}: ${channel.label}.`}
        </p>
      )}
      {secret !== null && <SigningSecret secret={secret} />}
      {mayWrite && channel !== undefined && !isChanging && (
        <div className="flex flex-wrap gap-2">
          <Button size="small" onClick={() => setIsChanging(true)}>
            {channel === null ? 'Choose a channel' : 'Replace channel'}
          </Button>
          {channel !== null && (
            <Button size="small" disabled={remove.isPending} onClick={() => remove.mutate()}>
              Remove channel
            </Button>
          )}
        </div>
      )}
      {isChanging && (
        <ChannelForm
          initial={channel?.type ?? 'slack'}
          save={setAlerts}
          saved="Channel saved."
          onSaved={({ generated_secret: generated }) => {
            setSecret(generated);
            setIsChanging(false);
            void refresh();
          }}
          onCancel={() => setIsChanging(false)}
        />
      )}
    </Panel>
  );
}
