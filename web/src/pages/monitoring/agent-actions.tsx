/** What can be done with an agent. */
import { useNavigate } from '@tanstack/react-router';
import { Pause, Play, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { Confirm } from '../../components/ui/dialog.tsx';
import { useAgentActions, type Agent } from './queries.ts';

export function AgentActions({ agent }: { agent: Agent }) {
  const { pause, resume, run, remove, refresh } = useAgentActions(agent.chat_id);
  const [isAsking, setIsAsking] = useState(false);
  const navigate = useNavigate();
  const leave = async (): Promise<void> => {
    // Unsaved changes to its plan went with it.
    await navigate({ to: '/monitoring', ignoreBlocker: true });
    void refresh();
  };
  return (
    <>
      {agent.active ? (
        <>
          <Button disabled={run.isPending || agent.checks === 0} onClick={() => run.mutate(undefined)}>
            <RotateCw aria-hidden size={16} /> Run all checks
          </Button>
          <Button disabled={pause.isPending} onClick={() => pause.mutate()}>
            <Pause aria-hidden size={16} /> Pause
          </Button>
        </>
      ) : (
        <Button variant="primary" disabled={resume.isPending} onClick={() => resume.mutate()}>
          <Play aria-hidden size={16} /> Resume
        </Button>
      )}
      <Button variant="danger" onClick={() => setIsAsking(true)}>
        <Trash2 aria-hidden size={16} /> Delete
      </Button>
      <Confirm
        open={isAsking}
        onOpenChange={setIsAsking}
        title="Delete this agent?"
        description="The agent stops watching. Its conversation, plans, sessions and findings are deleted; investigations it started are kept. This cannot be undone."
        action="Delete agent"
        keep="Keep agent"
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => void leave() })}
      />
    </>
  );
}
