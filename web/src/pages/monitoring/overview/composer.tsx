/** A message to the agent: its answer, and what became of its plan. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useId, useRef, useState, type SubmitEvent } from 'react';
import { may, sessionQuery } from '../../../api/session.ts';
import { readDraft, useDraft } from '../../../app/draft.ts';
import { Button } from '../../../components/ui/button.tsx';
import { sendOnEnter } from '../../../components/ui/composer-keys.ts';
import { Textarea } from '../../../components/ui/field.tsx';
import { Panel } from '../../../components/ui/panel.tsx';
import { Failed } from '../../../components/ui/states.tsx';
import { ScrollBox } from '../../../components/ui/scroll-box.tsx';
import { agentQuery, versionsQuery } from '../queries.ts';
import { talk } from '../talk.ts';

const Markdown = lazy(async () => ({ default: (await import('../../../components/markdown/markdown.tsx')).Markdown }));

interface Said {
  words: string;
  /** The version of the plan before the message. */
  version: number;
  answer: string;
  isComplete: boolean;
  error?: unknown;
}

export function Composer({ agentId }: { agentId: string }) {
  const draftKey = `agent.${agentId}`;
  const [words, write] = useDraft(draftKey);
  const [said, setSaid] = useState<Said>();
  const reading = useRef<AbortController>(undefined);
  const id = useId();
  const queryClient = useQueryClient();
  const { data: agent } = useQuery(agentQuery(agentId));
  const { data: session } = useQuery(sessionQuery);
  useEffect(() => () => reading.current?.abort(), []);
  const isBusy = said !== undefined && !said.isComplete;
  const send = async (): Promise<void> => {
    const message = words.trim();
    if (message === '' || isBusy) return;
    const update = (change: Partial<Said>) => setSaid((now) => now && { ...now, ...change });
    const controller = new AbortController();
    reading.current = controller;
    setSaid({ words: message, version: agent?.plan_version ?? 1, answer: '', isComplete: false });
    write('');
    try {
      const listener = { onText: (answer: string) => update({ answer }) };
      await talk({ message, chat_id: agentId }, listener, controller.signal);
      await queryClient.invalidateQueries({ queryKey: ['monitoring', agentId] });
      update({ isComplete: true });
    } catch (error) {
      if (controller.signal.aborted) return;
      // Restore the text for another try, unless something else was typed since.
      if (readDraft(draftKey) === '') write(message);
      update({ isComplete: true, error });
    }
  };
  return (
    <Panel title="Message the agent">
      {said && (
        <div className="mb-3 flex flex-col gap-2 text-sm">
          <p className="line-clamp-4 rounded-md bg-sunken px-3 py-2 break-words whitespace-pre-wrap">
            <span className="sr-only">You said: </span>
            {said.words}
          </p>
          <ScrollBox label="Answer of the agent" className="max-h-96 min-w-0">
            <Suspense fallback={<p className="break-words whitespace-pre-wrap">{said.answer}</p>}>
              <Markdown text={said.answer} headingOffset={2} />
            </Suspense>
          </ScrollBox>
          {/* Only that it is done is read out; the answer itself is there to be read. */}
          <p role="status" className={isBusy ? 'text-ink-soft' : 'sr-only'}>
            {isBusy ? 'The agent is working…' : said.error === undefined && 'The agent has answered.'}
          </p>
          {said.error !== undefined && <Failed error={said.error} />}
          {said.isComplete && said.error === undefined && <Outcome agentId={agentId} since={said.version} />}
        </div>
      )}
      <form
        onSubmit={(event: SubmitEvent) => {
          event.preventDefault();
          void send();
        }}
      >
        <label htmlFor={id} className="sr-only">
          Message to the agent
        </label>
        <Textarea
          id={id}
          value={words}
          placeholder="Check every 5 minutes. What did you find?"
          rows={2}
          onChange={(event) => write(event.target.value)}
          onKeyDown={(event) => sendOnEnter(() => void send())(event)}
        />
        <div className="mt-2 flex flex-wrap items-center justify-between gap-2">
          {may(session, 'chats:read') && (
            <Link to="/chat/$chatId" params={{ chatId: agentId }} className="text-sm text-accent underline">
              Full conversation
            </Link>
          )}
          <Button type="submit" variant="primary" className="ml-auto" disabled={words.trim() === '' || isBusy}>
            Send
          </Button>
        </div>
      </form>
    </Panel>
  );
}

/** What the conversation changed in the plan. */
function Outcome({ agentId, since }: { agentId: string; since: number }) {
  const { data } = useQuery(versionsQuery(agentId, 1));
  const changes = data?.versions.filter(({ version }) => version > since).flatMap((version) => version.changes) ?? [];
  if (data === undefined) return null;
  if (changes.length === 0) return <p className="text-ink-soft">Plan unchanged.</p>;
  return (
    <div className="rounded-md border px-3 py-2">
      <p className="font-medium">Plan updated</p>
      <ul className="list-disc pl-5">
        {changes.map((change) => (
          <li key={change} className="line-clamp-4 break-words">
            {change}
          </li>
        ))}
      </ul>
    </div>
  );
}
