/** Creates an agent from plain words. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useRef, useState, type SubmitEvent } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { sendOnEnter } from '../../components/ui/composer-keys.ts';
import { Textarea } from '../../components/ui/field.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { useDraft } from '../../app/draft.ts';
import { talk } from './talk.ts';

const EXAMPLE = 'Watch the payment service. Alert when p95 latency exceeds 1 s for 2 minutes.';

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
  const send = async (): Promise<void> => {
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
    <form
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        void send();
      }}
      className="rounded-lg border bg-surface p-4"
    >
      <label htmlFor={id} className="font-semibold">
        What should the agent watch?
      </label>
      <p id={`${id}-hint`} className="mb-2 text-sm text-ink-soft">
        Describe it in plain words. The agent drafts a plan of checks that you can edit.
        <span className="pointer-coarse:hidden"> Enter to create, Shift+Enter for a new line.</span>
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
        onKeyDown={(event) => sendOnEnter(() => void send())(event)}
      />
      <div className="mt-3 flex justify-end">
        <Button type="submit" variant="primary" disabled={words.trim() === '' || isSending}>
          {isSending ? 'Creating…' : 'Create agent'}
        </Button>
      </div>
    </form>
  );
}
