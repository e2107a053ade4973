/** The checks of a plan with their status. */
import { Link } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Time } from '../../../components/ui/time.tsx';
import { Due } from '../due.tsx';
import { SessionBadge } from '../sessions/session-badge.tsx';
import { useAgentActions, type AgentPlan } from '../queries.ts';

export function Checks({ plan, mayRun }: { plan: AgentPlan; mayRun: boolean }) {
  const { run } = useAgentActions(plan.chat_id);
  if (plan.checks.length === 0) return <p className="text-ink-soft">No checks in the plan.</p>;
  const enabled = new Set(plan.plan.checks.filter((check) => check.enabled).map(({ id }) => id));
  return (
    <>
      {plan.answered_by === 'database' && plan.active && (
        <p className="pb-2 text-sm text-warn">The agent is not responding, so the status of its checks is unknown.</p>
      )}
      <ul className="divide-y">
        {plan.checks.map((check) => (
          <li key={check.id} className="flex items-start gap-3 py-2.5 first:pt-0 last:pb-0">
            <div className="flex min-w-0 flex-1 flex-col gap-1">
              <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <h3 className="line-clamp-2 min-w-0 font-medium break-words">
                  <bdi>{check.title}</bdi>
                </h3>
                {!enabled.has(check.id) && <Badge>Disabled</Badge>}
                {check.running ? (
                  <SessionBadge status="running" />
                ) : (
                  check.last && <SessionBadge status={check.last.status} />
                )}
                {check.failures > 1 && <Badge tone="warn">{check.failures} failures in a row</Badge>}
              </div>
              <p className="line-clamp-3 text-sm break-words text-ink-soft">{check.description}</p>
              <p className="text-sm text-ink-soft">
                {check.last && (
                  <>
                    <Link
                      to="."
                      search={{ tab: 'sessions', open: check.last.session_id }}
                      className="break-words text-ink underline decoration-line-strong hover:text-accent"
                    >
                      {check.last.summary}
                    </Link>{' '}
                    <Time at={check.last.at} />
                  </>
                )}
                {check.due_at !== null && (
                  <>
                    {check.last && ' · '}
                    <Due at={check.due_at} word="Next" />
                  </>
                )}
              </p>
            </div>
            {mayRun && enabled.has(check.id) && (
              <Button
                size="small"
                disabled={run.isPending || check.running}
                aria-label={`Run ${check.title.slice(0, 80)} now`}
                onClick={() => run.mutate([check.id])}
              >
                <Play aria-hidden size={14} /> Run
              </Button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
