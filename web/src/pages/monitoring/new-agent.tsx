/** Creates an agent from plain words. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useRef, useState, type SubmitEvent } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { Textarea } from '../../components/ui/field.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { useDraft } from '../../app/draft.ts';
import { talk } from './talk.ts';

const EXAMPLE = 'Watch the payment service; notify me in Slack when p95 exceeds 1 s';

export function NewAgent() {
  const [words, write] = useDraft('new-agent');
  const [isSending, setIsSending] = useState(false);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  const id = useId();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const send = async (event?: SubmitEvent): Promise<void> => {
    event?.preventDefault();
    const message = words.trim();
    if (message === '' || isSending) return;
    setIsSending(true);
    try {
      const reading = new AbortController();
      const made = await new Promise<string>((resolve, reject) => {
        talk({ message }, { onAgent: resolve }, reading.signal).then(
          () => reject(new Error('The agent was created but did not confirm. Reload the page.')),
          reject,
        );
      });
      // The plan is drafted whether or not anybody reads along; its page shows it.
      reading.abort();
      void queryClient.invalidateQueries({ queryKey: ['monitoring', 'list'] });
      write('');
      // Do not pull back whoever navigated away.
      if (!isGone.current) await navigate({ to: '/monitoring/$agentId', params: { agentId: made } });
    } catch (error) {
      toaster.fail(error);
      setIsSending(false);
    }
  };
  return (
    <form onSubmit={(event) => void send(event)} className="rounded-lg border bg-surface p-4">
      <label htmlFor={id} className="font-semibold">
        What should be watched?
      </label>
      <p id={`${id}-hint`} className="mb-2 text-sm text-ink-soft">
        Describe it in plain words. An agent drafts a plan of checks that you can edit.
      </p>
      <Textarea
        id={id}
        aria-describedby={`${id}-hint`}
        value={words}
        readOnly={isSending}
        placeholder={EXAMPLE}
        rows={2}
        maxLength={100_000}
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send();
        }}
      />
      <div className="mt-3 flex flex-wrap items-center justify-end gap-3">
        <span className="hidden text-sm text-ink-soft sm:inline">Ctrl+Enter sends</span>
        <Button type="submit" variant="primary" disabled={words.trim() === '' || isSending}>
          {isSending ? 'Creating the agent …' : 'Start watching'}
        </Button>
      </div>
    </form>
  );
}
