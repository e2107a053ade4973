/** An agent's notification channel: whether it works, and a form to replace it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schema } from '../../../api/client.ts';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Confirm } from '../../../components/ui/dialog.tsx';
import { Fact, Facts } from '../../../components/ui/facts.tsx';
import { Panel } from '../../../components/ui/panel.tsx';
import { useToaster } from '../../../components/ui/toast.tsx';
import { saveConfig, testChannel } from '../queries.ts';
import { ChannelForm } from './channel-form.tsx';
import { CHANNEL_FORMS, outcomeWords } from './channels.ts';
import type { ConfigProps } from './limits-panel.tsx';
import { SigningSecret } from './signing-secret.tsx';

export function ChannelPanel({ config, mayWrite }: ConfigProps) {
  const { chat_id: agentId, notification_channel: channel } = config;
  const [isChanging, setIsChanging] = useState(false);
  const [isRemoving, setIsRemoving] = useState(false);
  /** A generated secret, shown only once. */
  const [secret, setSecret] = useState<string>();
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['monitoring'] });
  const testing = useMutation({ mutationFn: () => testChannel(agentId), onError: toaster.fail });
  const removing = useMutation({
    mutationFn: () => saveConfig(agentId, { notification_channel: null }),
    onSuccess: () => toaster.say('Channel removed.'),
    onError: toaster.fail,
    onSettled: refresh,
  });
  const forget = (): void => {
    testing.reset();
    setSecret(undefined);
  };
  const saved = (config: Schema<'MonitoringAgentConfigResponse'>): void => {
    forget();
    setSecret(config.webhook_secret);
    setIsChanging(false);
    void refresh();
  };
  return (
    <Panel title="Notification channel">
      <div className="flex flex-col gap-4">
        {channel === null ? (
          <p className="text-ink-soft">No channel configured. Findings appear only here.</p>
        ) : (
          <SetChannel channel={channel} />
        )}
        {secret !== undefined && <SigningSecret secret={secret} />}
        {testing.data && (
          <p
            role="status"
            className={`rounded-md px-3 py-2 text-sm break-words ${testing.data.delivered ? 'bg-good-soft text-good' : 'bg-bad-soft text-bad'}`}
          >
            {outcomeWords(testing.data)}
          </p>
        )}
        {mayWrite && !isChanging && (
          <div className="flex flex-wrap gap-2">
            {channel !== null && (
              <Button variant="primary" disabled={testing.isPending} onClick={() => testing.mutate()}>
                {testing.isPending ? 'Sending…' : 'Send test'}
              </Button>
            )}
            <Button onClick={() => setIsChanging(true)}>
              {channel === null ? 'Configure channel' : 'Replace channel'}
            </Button>
            {channel !== null && (
              <Button variant="danger" onClick={() => setIsRemoving(true)}>
                Remove channel
              </Button>
            )}
          </div>
        )}
        {isChanging && (
          <ChannelForm
            initial={channel?.type ?? 'slack'}
            save={(channel) => saveConfig(agentId, { notification_channel: channel })}
            saved="Channel saved. Send a test to verify it."
            onSaved={saved}
            onCancel={() => setIsChanging(false)}
          />
        )}
      </div>
      <Confirm
        open={isRemoving}
        onOpenChange={setIsRemoving}
        title="Remove this channel?"
        description="Its secret is deleted. The agent keeps watching but notifies nobody."
        action="Remove channel"
        keep="Keep channel"
        onConfirm={() => {
          forget();
          removing.mutate();
        }}
      />
    </Panel>
  );
}

/** The current settings; of secrets, only that they are set. */
function SetChannel({ channel }: { channel: NonNullable<ConfigProps['config']['notification_channel']> }) {
  const { title, fields } = CHANNEL_FORMS[channel.type];
  return (
    <Facts className="items-center">
      <Fact name="Type">{title}</Fact>
      <Fact name="Destination">{channel.label}</Fact>
      {fields
        .filter(({ isSecret }) => isSecret)
        .map(({ name, label }) => (
          <Fact key={name} name={label}>
            <Badge tone="good">Set</Badge>
          </Fact>
        ))}
    </Facts>
  );
}
