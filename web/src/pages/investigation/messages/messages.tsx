import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useEffect, useRef, type FormEvent } from 'react';
import { may, sessionQuery } from '../../../api/session.ts';
import { useDraft } from '../../../app/draft.ts';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Field, Textarea } from '../../../components/ui/field.tsx';
import { Panel } from '../../../components/ui/panel.tsx';
import { Time } from '../../../components/ui/time.tsx';
import { useToaster } from '../../../components/ui/toast.tsx';
import { investigationQuery, tell, type Investigation } from '../queries.ts';

/** Messages to the run, and a field for more while it is running. */
export function Messages({ investigation: { id, status, messages } }: { investigation: Investigation }) {
  const { data: session } = useQuery(sessionQuery);
  const isRunning = status === 'processing';
  const mayTell = isRunning && may(session, 'investigations:write');
  if (messages.length === 0 && !mayTell) return null;
  return (
    <Panel title="Guide this investigation">
      <ol className="flex flex-col gap-3">
        {messages.map((message) => (
          <li key={message.id} className="text-sm">
            <p className="break-words whitespace-pre-wrap">{message.text}</p>
            <p className="mt-1 flex flex-wrap items-center gap-2 text-ink-soft">
              <Delivery step={message.delivered_step} isRunning={isRunning} /> <Time at={message.created_at} />
            </p>
          </li>
        ))}
      </ol>
      {mayTell && <Tell id={id} hasMessages={messages.length > 0} />}
    </Panel>
  );
}

function Delivery({ step, isRunning }: { step: number | null; isRunning: boolean }) {
  if (step !== null) return <Badge tone="good">Read in step {step}</Badge>;
  return isRunning ? <Badge tone="accent">Waiting for the next step</Badge> : <Badge tone="warn">Not read</Badge>;
}

function Tell({ id, hasMessages }: { id: string; hasMessages: boolean }) {
  const [text, setText] = useDraft(`investigation.${id}`);
  const latest = useRef(text);
  useEffect(() => {
    latest.current = text;
  }, [text]);
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const { mutate, isPending } = useMutation({
    mutationFn: (said: string) => tell(id, said),
    onError: toaster.fail,
    onSuccess: (_, said) => {
      // Text typed in the meantime has not been sent.
      if (latest.current === said) setText('');
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: investigationQuery(id).queryKey, exact: true }),
  });
  const send = (event?: FormEvent): void => {
    event?.preventDefault();
    if (text.trim() !== '' && !isPending) mutate(text);
  };
  return (
    <form onSubmit={send} className={hasMessages ? 'mt-4 border-t pt-4' : ''}>
      <Field label="Add information" hint="The model reads it before its next step.">
        {(control) => (
          <Textarea
            {...control}
            rows={2}
            maxLength={20_000}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) send();
            }}
          />
        )}
      </Field>
      <Button type="submit" className="mt-2" disabled={isPending || text.trim() === ''}>
        <Send aria-hidden size={16} /> Send
      </Button>
    </form>
  );
}
