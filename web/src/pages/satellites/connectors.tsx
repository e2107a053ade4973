import { Empty } from '../../components/ui/states.tsx';
import { Table } from '../../components/ui/table.tsx';
import { Time } from '../../components/ui/time.tsx';
import { CheckBadge } from './marks.tsx';
import type { Satellite } from './queries.ts';

/** A satellite's connectors and MCP servers, and whether they respond. */
export function Connectors({ satellite: { connectors, mcp_servers: servers } }: { satellite: Satellite }) {
  const rows = [
    ...connectors.map((connector) => ({ ...connector, name: connector.id })),
    ...servers.map((server) => ({
      ...server,
      id: `mcp/${server.name}`,
      kind: 'MCP server',
      title: '',
      operations: [],
    })),
  ];
  if (rows.length === 0)
    return <Empty title="No connectors">List the systems it may query in its configuration file.</Empty>;
  return (
    <Table
      label="Connectors"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Connector',
          cell: ({ name, kind, title }) => (
            <>
              <bdi className="font-medium wrap-anywhere">{name}</bdi> <span className="text-ink-soft">{kind}</span>
              {title !== '' && title !== name && <p className="wrap-anywhere text-ink-soft">{title}</p>}
            </>
          ),
        },
        {
          title: 'Status',
          cell: ({ status, message }) => (
            <>
              <CheckBadge status={status} />
              {message !== null && <p className="mt-1 max-w-md wrap-anywhere text-bad">{message}</p>}
            </>
          ),
        },
        {
          title: 'Operations',
          isMinor: true,
          cell: ({ operations }) => <span className="text-ink-soft">{operations.join(', ')}</span>,
        },
        {
          title: 'Last checked',
          isMinor: true,
          cell: ({ checked_at: at }) => (at === null ? 'Never' : <Time at={at} />),
        },
      ]}
    />
  );
}
