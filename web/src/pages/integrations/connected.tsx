import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Badge, type Tone } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Confirm } from '../../components/ui/dialog.tsx';
import { count } from '../../components/ui/numbers.ts';
import { Time } from '../../components/ui/time.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { sourcesQuery } from '../../components/connect-source.tsx';
import { ChooseAccount } from './choose-account.tsx';
import { integrationsQuery, type Integration } from './queries.ts';
import { isOneOfMany, removeIntegration, testIntegration, toggleIntegration } from './requests.ts';
import { vendorOf, type Vendor } from './vendors.ts';

const STATES: Record<Integration['status'], { tone: Tone; word: string }> = {
  connected: { tone: 'good', word: 'Connected' },
  failing: { tone: 'bad', word: 'Failing' },
  needs_reconnect: { tone: 'bad', word: 'Connect again' },
  select_account: { tone: 'warn', word: 'Choose an account' },
  pending: { tone: 'neutral', word: 'Pending' },
  disabled: { tone: 'neutral', word: 'Off' },
  not_connected: { tone: 'neutral', word: 'Not connected' },
};

interface ConnectedProps {
  integrations: Integration[];
  mayWrite: boolean;
  onReconnect: (vendor: Vendor) => void;
}

export function Connected({ integrations, mayWrite, onReconnect }: ConnectedProps) {
  const [removing, setRemoving] = useState<Integration>();
  const [choosing, setChoosing] = useState<Integration>();
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: integrationsQuery.queryKey }),
      queryClient.invalidateQueries({ queryKey: sourcesQuery.queryKey }),
    ]);
  const remove = useMutation({
    mutationFn: removeIntegration,
    onSuccess: async (_answer, { name }) => {
      toaster.say(`${name} was removed.`);
      await refresh();
    },
    onError: toaster.fail,
  });
  const toggle = useMutation({ mutationFn: toggleIntegration, onSuccess: refresh, onError: toaster.fail });
  const test = useMutation({
    mutationFn: testIntegration,
    onSuccess: async ({ success, message }) => {
      if (success) toaster.say(message);
      else toaster.fail(new Error(message));
      await refresh();
    },
    onError: toaster.fail,
  });
  return (
    <>
      <ul aria-label="Integrations" className="divide-y overflow-hidden rounded-lg border bg-surface">
        {integrations.map((integration) => (
          <Row
            key={integration.id}
            integration={integration}
            actions={
              mayWrite && (
                <>
                  {isOneOfMany(integration) && (
                    <>
                      <Button size="small" disabled={test.isPending} onClick={() => test.mutate(integration)}>
                        Test<span className="sr-only"> {integration.name}</span>
                      </Button>
                      <Button size="small" disabled={toggle.isPending} onClick={() => toggle.mutate(integration)}>
                        {integration.enabled ? 'Turn off' : 'Turn on'}
                        <span className="sr-only"> {integration.name}</span>
                      </Button>
                    </>
                  )}
                  {integration.status === 'select_account' && (
                    <Button size="small" variant="primary" onClick={() => setChoosing(integration)}>
                      Choose<span className="sr-only"> for {integration.name}</span>
                    </Button>
                  )}
                  {integration.status === 'needs_reconnect' && (
                    <Reconnect integration={integration} onReconnect={onReconnect} />
                  )}
                  <Button size="small" variant="danger" onClick={() => setRemoving(integration)}>
                    Remove<span className="sr-only"> {integration.name}</span>
                  </Button>
                </>
              )
            }
          />
        ))}
      </ul>
      {choosing && (
        <ChooseAccount
          family={choosing.family}
          accounts={choosing.resources}
          onClose={() => setChoosing(undefined)}
          onDone={() => {
            setChoosing(undefined);
            void refresh();
          }}
        />
      )}
      <Confirm
        open={removing !== undefined}
        onOpenChange={() => setRemoving(undefined)}
        title={`Remove ${removing?.name ?? ''}?`}
        description="Its credential is deleted. Runs and checks can no longer query it; past results stay."
        action="Remove integration"
        onConfirm={() => removing && remove.mutate(removing)}
      />
    </>
  );
}

function Reconnect({ integration, onReconnect }: { integration: Integration; onReconnect: (vendor: Vendor) => void }) {
  const vendor = vendorOf(integration);
  if (!vendor) return null;
  return (
    <Button size="small" variant="primary" onClick={() => onReconnect(vendor)}>
      Connect again<span className="sr-only"> {integration.name}</span>
    </Button>
  );
}

function Row({ integration, actions }: { integration: Integration; actions: ReactNode }) {
  const { name, vendor, status, error, warnings, version, tools, via, credential } = integration;
  const { tone, word } = STATES[status];
  const facts = [vendor, version, via !== null && `through satellite ${via}`, credential].filter(Boolean);
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <bdi className="font-medium wrap-anywhere">{name}</bdi>
          <span className="text-sm wrap-anywhere text-ink-soft">{facts.join(' · ')}</span>
          <Badge tone={tone}>{word}</Badge>
        </p>
        {error !== null && <p className="text-sm wrap-anywhere text-bad">{error}</p>}
        {warnings.length > 0 && (
          <details className="text-sm">
            <summary className="cursor-pointer py-1 text-warn">{count(warnings.length, 'recommendation')}</summary>
            <ul className="ml-4 list-disc wrap-anywhere text-ink-soft">
              {warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </details>
        )}
        {tools.length > 0 && (
          <details className="text-sm">
            <summary className="cursor-pointer py-1 text-ink-soft">{count(tools.length, 'tool')}</summary>
            <ul className="ml-4 list-disc wrap-anywhere text-ink-soft">
              {tools.map((tool) => (
                <li key={tool.name}>
                  <code>{tool.name}</code> {tool.description}
                </li>
              ))}
            </ul>
          </details>
        )}
        <p className="text-sm text-ink-soft">
          Connected <Time at={integration.connected_at} />
          {integration.connected_by !== null && (
            <>
              {' '}
              by <bdi>{integration.connected_by}</bdi>
            </>
          )}
          {integration.last_checked_at !== null && (
            <>
              , checked <Time at={integration.last_checked_at} />
            </>
          )}
          ,{' '}
          {integration.last_used_at === null ? (
            'not used by a run yet'
          ) : (
            <>
              last used by a run <Time at={integration.last_used_at} />
            </>
          )}
        </p>
      </div>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </li>
  );
}
