/** Someone else changed the plan while this one was being edited. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Time } from '../../../components/ui/time.tsx';
import { versionsQuery, type AgentPlan } from '../queries.ts';
import { DifferenceView, type DifferenceViewProps } from './difference-view.tsx';
import { AUTHORS } from './authors.ts';

export interface ConflictProps {
  agentId: string;
  /** The current plan. */
  latest: AgentPlan;
  /** The plan as edited here. */
  mine: DifferenceViewProps['after'];
  /** Discards the edits. */
  onReload: () => void;
  /** Keeps the edits, as a change of the current plan. */
  onKeep: () => void;
}

export function Conflict({ agentId, latest, mine, onReload, onKeep }: ConflictProps) {
  const [isLooking, setIsLooking] = useState(false);
  const { data } = useQuery(versionsQuery(agentId, 1));
  const version = data?.versions.find((each) => each.version === latest.version);
  return (
    <div role="alert" className="flex flex-col gap-3 rounded-lg border border-warn bg-warn-soft px-4 py-3">
      <div>
        <p className="font-medium text-warn">
          The plan changed while you were editing: version {latest.version} is now in effect.
        </p>
        {version && (
          <div className="text-sm">
            <p className="break-words">
              {AUTHORS[version.changed_by]}, <Time at={version.changed_at} />: {version.reason}
            </p>
            <ul className="list-disc pl-5">
              {version.changes.map((change) => (
                <li key={change} className="line-clamp-3 break-words">
                  {change}
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setIsLooking(true)}>Compare</Button>
        <Button onClick={onReload}>Discard my changes and load version {latest.version}</Button>
      </div>
      <Dialog
        open={isLooking}
        onOpenChange={setIsLooking}
        placement="side"
        title={`Your changes to version ${latest.version}`}
        description="What saving would change in the current plan."
        footer={
          <>
            <Button
              onClick={() => {
                setIsLooking(false);
                onReload();
              }}
            >
              Discard my changes
            </Button>
            <Button
              variant="primary"
              onClick={() => {
                setIsLooking(false);
                onKeep();
              }}
            >
              Keep my changes
            </Button>
          </>
        }
      >
        <DifferenceView before={latest.plan} after={mine} />
      </Dialog>
    </div>
  );
}
