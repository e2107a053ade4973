import { CircleCheck, CircleHelp, CircleX, type LucideIcon } from 'lucide-react';
import { Panel } from '../../../components/ui/panel.tsx';
import { Prose } from '../evidence/prose.tsx';
import type { Investigation } from '../queries.ts';

type Hypothesis = Investigation['hypotheses'][number];

const GROUPS: readonly { verdict: Hypothesis['verdict']; title: string; icon: LucideIcon; tone: string }[] = [
  { verdict: 'supported', title: 'Supported', icon: CircleCheck, tone: 'text-good' },
  { verdict: 'open', title: 'Open', icon: CircleHelp, tone: 'text-warn' },
  { verdict: 'ruled_out', title: 'Ruled out', icon: CircleX, tone: 'text-ink-soft' },
];

/** The candidate causes, by what the evidence says about them. */
export function Hypotheses({ hypotheses }: { hypotheses: readonly Hypothesis[] }) {
  if (hypotheses.length === 0) return null;
  return (
    <Panel title="Hypotheses">
      <div className="flex flex-col gap-5">
        {GROUPS.map(({ verdict, title, icon: Icon, tone }) => {
          const group = hypotheses.filter((hypothesis) => hypothesis.verdict === verdict);
          if (group.length === 0) return null;
          return (
            <section key={verdict}>
              <h3 className={`flex items-center gap-2 text-sm font-semibold ${tone}`}>
                <Icon aria-hidden size={16} /> {title} <span className="font-normal">({group.length})</span>
              </h3>
              <ul className="mt-2 flex flex-col gap-3 border-l-2 pl-4">
                {group.map(({ statement, reasoning }) => (
                  <li key={statement}>
                    <div className="font-medium">
                      <Prose text={statement} />
                    </div>
                    <div className="mt-0.5 text-ink-soft">
                      <Prose text={reasoning} />
                    </div>
                  </li>
                ))}
              </ul>
            </section>
          );
        })}
      </div>
    </Panel>
  );
}
