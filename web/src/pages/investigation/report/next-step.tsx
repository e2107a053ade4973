import { Panel } from '../../../components/ui/panel.tsx';
import { Prose } from '../evidence/prose.tsx';
import type { Report } from '../queries.ts';

/** One step, and how to verify it. */
export function NextStep({ change }: { change: Report['recommended_change'] }) {
  return (
    <Panel title="What to do next">
      <div className="text-base font-medium">
        <Prose text={change.summary} />
      </div>
      {change.details !== undefined && change.details !== '' && (
        <div className="mt-1.5">
          <Prose text={change.details} />
        </div>
      )}
    </Panel>
  );
}
