import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { Confirm } from '../../components/ui/dialog.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { sourcesQuery } from '../../components/connect-source.tsx';
import { article, choiceOf, ChooseAccount } from './choose-account.tsx';
import { integrationsQuery, type Integration } from './queries.ts';
import { isOneOfMany, removeIntegration, testIntegration, toggleIntegration } from './requests.ts';
import { IntegrationRow } from './row.tsx';
import { vendorOf, type Vendor } from './vendors.ts';
import { titleOf } from './words.ts';

interface ConnectedProps {
  integrations: Integration[];
  mayWrite: boolean;
  /** Opens the form of an integration. */
  onChange: (vendor: Vendor, integration: Integration) => void;
}

/** What is connected, and what can be done with it. */
export function Connected({ integrations, mayWrite, onChange }: ConnectedProps) {
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
    onSuccess: async (_answer, integration) => {
      toaster.say(`${titleOf(integration)} was removed.`);
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
  const actionsOf = (integration: Integration) => {
    const vendor = vendorOf(integration);
    const of = <span className="sr-only"> {titleOf(integration)}</span>;
    const isWaiting = integration.status === 'select_account';
    const isLost = integration.status === 'needs_reconnect';
    return (
      <>
        {isWaiting ? (
          <Button size="small" variant="primary" onClick={() => setChoosing(integration)}>
            {`Choose ${article(choiceOf(integration.family))}`}
            {of}
          </Button>
        ) : (
          <>
            <Button size="small" disabled={test.isPending} onClick={() => test.mutate(integration)}>
              Test{of}
            </Button>
            <Button size="small" disabled={toggle.isPending} onClick={() => toggle.mutate(integration)}>
              {integration.enabled ? 'Turn off' : 'Turn on'}
              {of}
            </Button>
          </>
        )}
        {vendor && (
          <Button size="small" variant={isLost ? 'primary' : 'plain'} onClick={() => onChange(vendor, integration)}>
            {isOneOfMany(integration) && !isLost ? 'Edit' : 'Connect again'}
            {of}
          </Button>
        )}
        <Button size="small" variant="danger" onClick={() => setRemoving(integration)}>
          Remove{of}
        </Button>
      </>
    );
  };
  return (
    <>
      <ul aria-label="Integrations" className="divide-y overflow-hidden rounded-lg border bg-surface">
        {integrations.map((integration) => (
          <IntegrationRow
            key={integration.id}
            integration={integration}
            mayWrite={mayWrite}
            actions={mayWrite && actionsOf(integration)}
          />
        ))}
      </ul>
      {choosing && (
        <ChooseAccount
          family={choosing.family}
          accounts={choosing.resources}
          onDone={() => {
            setChoosing(undefined);
            void refresh();
          }}
          onClose={() => setChoosing(undefined)}
        />
      )}
      <Confirm
        open={removing !== undefined}
        onOpenChange={() => setRemoving(undefined)}
        title={`Remove ${removing ? titleOf(removing) : ''}?`}
        description="Its credential is deleted. Runs and checks can no longer query it; past results stay."
        action="Remove integration"
        onConfirm={() => removing && remove.mutate(removing)}
      />
    </>
  );
}
