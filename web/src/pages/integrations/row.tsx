import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../components/ui/badge.tsx';
import { count } from '../../components/ui/numbers.ts';
import { Time } from '../../components/ui/time.tsx';
import type { Integration } from './queries.ts';
import { Tools } from './tools.tsx';
import { Usage } from './usage.tsx';
import { pointsAt, titleOf } from './words.ts';

const STATES: Record<Integration['status'], { tone: Tone; word: string }> = {
  connected: { tone: 'good', word: 'Connected' },
  failing: { tone: 'bad', word: 'Failing' },
  needs_reconnect: { tone: 'bad', word: 'Connect again' },
  select_account: { tone: 'warn', word: 'Action needed' },
  pending: { tone: 'neutral', word: 'Pending' },
  disabled: { tone: 'neutral', word: 'Off' },
  not_connected: { tone: 'neutral', word: 'Not connected' },
};

interface IntegrationRowProps {
  integration: Integration;
  mayWrite: boolean;
  actions: ReactNode;
}

/** One integration: what it points at, how it is, what it offers, and who uses it. */
export function IntegrationRow({ integration, mayWrite, actions }: IntegrationRowProps) {
  const { vendor, status, error, warnings, version, via, credential, tool_server: server } = integration;
  const title = titleOf(integration);
  const { tone, word } = STATES[status];
  const facts = [
    title.startsWith(vendor) ? '' : vendor,
    version,
    pointsAt(integration),
    via !== null && `through satellite ${via}`,
    credential !== null && `key ${credential}`,
    server !== null && (server === 'vendor' ? "the vendor's own tool server" : "Casebook's own tools"),
  ].filter(Boolean);
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <bdi className="font-medium wrap-anywhere">{title}</bdi>
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
        <Tools integration={integration} mayWrite={mayWrite} />
        <Usage integration={integration} />
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
