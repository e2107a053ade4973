import { useQuery } from '@tanstack/react-query';
import { Plug } from 'lucide-react';
import { useState } from 'react';
import { may, sessionQuery } from '../../api/session.ts';
import { Button } from '../../components/ui/button.tsx';
import { PageHead, Panel } from '../../components/ui/panel.tsx';
import { Failed, Loading } from '../../components/ui/states.tsx';
import { Alerts } from './alerts.tsx';
import { ConnectForm } from './connect-form.tsx';
import { Connected } from './connected.tsx';
import { integrationsQuery, type Integration } from './queries.ts';
import { VENDORS, vendorOf, type Vendor } from './vendors.ts';

/** What the team has connected, and what it could. */
export function IntegrationsPage() {
  const { data: session } = useQuery(sessionQuery);
  const { data: integrations, error, refetch } = useQuery(integrationsQuery);
  const [connecting, setConnecting] = useState<{ vendor: Vendor; integration?: Integration | undefined }>();
  const mayWrite = may(session, 'integrations:write');
  const connected = (vendor: Vendor): Integration | undefined =>
    vendor.canRepeat === true ? undefined : integrations?.find((one) => vendorOf(one) === vendor);
  return (
    <>
      <title>Integrations · Casebook</title>
      <PageHead
        title="Integrations"
        description="Every connection becomes a source and a set of tools for investigations, chats and checks."
      />
      {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      {integrations === undefined && error === null && <Loading lines={5} />}
      {integrations !== undefined && integrations.length > 0 && (
        <Connected
          integrations={integrations}
          mayWrite={mayWrite}
          onChange={(vendor, integration) => setConnecting({ vendor, integration })}
        />
      )}
      {integrations !== undefined && (
        <Panel
          title={mayWrite ? 'Connect a system' : 'Systems that can be connected'}
          className={integrations.length > 0 ? 'mt-6' : ''}
        >
          {!mayWrite && <p className="mb-3 text-ink-soft">Ask an admin of the team to connect one.</p>}
          <ul aria-label="Vendors" className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
            {VENDORS.map((vendor) => (
              <li key={vendor.id} className="flex flex-col gap-2 rounded-md border p-3">
                <h3 className="font-medium">{vendor.title}</h3>
                <p className="flex-1 text-sm text-ink-soft">{vendor.gives}</p>
                {mayWrite && (
                  <Button
                    size="small"
                    className="self-start"
                    onClick={() => setConnecting({ vendor, integration: connected(vendor) })}
                  >
                    <Plug aria-hidden size={14} />
                    {connected(vendor) ? 'Connect again' : 'Connect'}
                    <span className="sr-only"> {vendor.title}</span>
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {session && integrations !== undefined && integrations.length > 0 && <Alerts mayWrite={mayWrite} />}
      {connecting && <ConnectForm {...connecting} onClose={() => setConnecting(undefined)} />}
    </>
  );
}
