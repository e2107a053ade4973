import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge } from '../../components/ui/badge.tsx';
import { SearchField } from '../../components/ui/search-field.tsx';
import { Empty, Failed, Loading } from '../../components/ui/states.tsx';
import { toolsQuery, type Satellite } from './queries.ts';

/** The tools of the MCP servers behind one satellite. */
export function Tools({ teamId, satellite }: { teamId: string; satellite: Satellite }) {
  const { data, error, refetch } = useQuery(toolsQuery(teamId));
  const [wanted, setWanted] = useState('');
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  const words = wanted.toLowerCase();
  const all = data.tools.filter((tool) => tool.satellite_id === satellite.id);
  const tools = all.filter((tool) => `${tool.name} ${tool.server} ${tool.description}`.toLowerCase().includes(words));
  if (all.length === 0) return <Empty title="No tools">Add MCP servers to its configuration to get tools.</Empty>;
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <p className="text-sm text-ink-soft" role="status">
          {tools.length} of {all.length} tools
          {satellite.omitted_tool_count > 0 && `; ${satellite.omitted_tool_count} more are not listed`}
        </p>
        <SearchField label="Search tools" value={wanted} onSearch={setWanted} />
      </div>
      <ul className="divide-y rounded-lg border bg-surface">
        {tools.map(({ server, name, title, description, read_only: isReadOnly, input_schema: schema }) => (
          <li key={`${server}/${name}`} className="px-4 py-3">
            <p className="flex flex-wrap items-center gap-2">
              <code className="font-medium break-all">{name}</code>
              <bdi className="text-sm wrap-anywhere text-ink-soft">{title ?? server}</bdi>
              <Badge tone={isReadOnly ? 'neutral' : 'warn'}>{isReadOnly ? 'Read-only' : 'Can make changes'}</Badge>
            </p>
            <p className="mt-1 line-clamp-3 text-sm wrap-anywhere whitespace-pre-line text-ink-soft">{description}</p>
            <details className="mt-1 text-sm">
              <summary className="text-ink-soft">
                Arguments<span className="sr-only"> of {name}</span>
              </summary>
              <pre
                // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by the keyboard
                tabIndex={0}
                role="region"
                aria-label={`Arguments of ${name}`}
                className="mt-1 max-h-80 overflow-auto rounded bg-sunken p-2 text-xs"
              >
                {JSON.stringify(schema, null, 2)}
              </pre>
            </details>
          </li>
        ))}
      </ul>
    </>
  );
}
