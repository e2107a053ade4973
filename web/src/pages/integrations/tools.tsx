import { useMutation, useQueryClient } from '@tanstack/react-query';
import { count } from '../../components/ui/numbers.ts';
import { Select } from '../../components/ui/field.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { integrationsQuery, type Integration } from './queries.ts';
import { saveIntegration } from './requests.ts';

type Tool = Integration['tools'][number];

const DECISIONS = { read: 'Reads', act: 'Asks first', deny: 'Off' } as const;
const decisionOf = ({ allowed, read_only: reads }: Tool): keyof typeof DECISIONS =>
  allowed ? (reads ? 'read' : 'act') : 'deny';

/** What runs may call; of an MCP server, the team decides tool by tool. */
export function Tools({ integration, mayWrite }: { integration: Integration; mayWrite: boolean }) {
  const { tools, family } = integration;
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const decide = useMutation({
    mutationFn: (changed: Record<string, string>) => saveIntegration(integration, { tools: changed }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: integrationsQuery.queryKey }),
    onError: toaster.fail,
  });
  if (tools.length === 0) return null;
  return (
    <details className="text-sm">
      <summary className="cursor-pointer py-1 text-ink-soft">{count(tools.length, 'tool')}</summary>
      <ul className="ml-4 flex list-disc flex-col gap-1 wrap-anywhere text-ink-soft">
        {tools.map((tool) => (
          <li key={tool.name}>
            {family === 'mcp' && mayWrite && (
              <Select
                aria-label={`What ${tool.name} may do`}
                className="mr-2 inline-block h-7! w-auto! py-0!"
                value={decisionOf(tool)}
                disabled={decide.isPending}
                onChange={({ target }) => decide.mutate({ [tool.name]: target.value })}
              >
                {Object.entries(DECISIONS).map(([decision, words]) => (
                  <option key={decision} value={decision}>
                    {words}
                  </option>
                ))}
              </Select>
            )}
            <code>{tool.name}</code> {tool.description}
          </li>
        ))}
      </ul>
    </details>
  );
}
