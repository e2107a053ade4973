import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../../components/ui/badge.tsx';
import { Panel } from '../../../components/ui/panel.tsx';
import { Time } from '../../../components/ui/time.tsx';
import { similarQuery } from '../queries.ts';

/** The team's earlier investigations of the same service, alert or log template. */
export function Similar({ id }: { id: string }) {
  const { data } = useQuery(similarQuery(id));
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Panel title="Similar past investigations">
      <ul className="flex flex-col gap-3">
        {data.items.map((item) => (
          <li key={item.id} className="min-w-0">
            <Link
              to="/investigation/$investigationId"
              params={{ investigationId: item.id }}
              className="font-medium wrap-anywhere text-accent underline"
            >
              <bdi>{item.alert_summary ?? 'Without a title'}</bdi>
            </Link>
            <div className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-soft">
              <Time at={item.created_at} />
              <span>Same {item.shares.join(', ')}</span>
              {item.judgement !== null && (
                <Badge tone={item.judgement === 'right' ? 'good' : 'bad'}>Judged {item.judgement}</Badge>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
