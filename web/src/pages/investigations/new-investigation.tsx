import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useEffect, useRef, useState, type SubmitEvent } from 'react';
import { messageOf } from '../../app/message-of.ts';
import { Button } from '../../components/ui/button.tsx';
import { sendOnEnter } from '../../components/ui/composer-keys.ts';
import { Field, Textarea } from '../../components/ui/field.tsx';
import { keepDraft, newDraft, storedDraft } from './draft.ts';
import { startInvestigation } from './queries.ts';

/** The API's limit. Longer text gets a message: a field that silently truncates a paste says nothing. */
const MAX_CHARACTERS = 20_000;
const characters = new Intl.NumberFormat('en');

/** The field that starts an investigation. */
export function NewInvestigation() {
  const [draft, setDraft] = useState(storedDraft);
  const field = useRef<HTMLTextAreaElement>(null);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const location = useLocation();

  // The key `n` and the button in the navigation lead here.
  useEffect(() => {
    if (location.hash === 'new') field.current?.focus();
  }, [location]);

  const start = useMutation({
    mutationFn: () => startInvestigation(draft.query.trim(), draft.idempotencyKey),
    onSuccess: () => {
      keepDraft(newDraft());
      void queryClient.invalidateQueries({ queryKey: ['investigations'] });
    },
  });
  const write = (text: string): void => {
    const written = newDraft(text);
    setDraft(written);
    keepDraft(written);
    start.reset();
  };
  const { length } = draft.query.trim();
  const isTooLong = length > MAX_CHARACTERS;
  const mayStart = length > 0 && !isTooLong && !start.isPending;
  const send = (): void => {
    if (!mayStart) return;
    start.mutate(undefined, {
      // Not called if the user has navigated away.
      onSuccess: ({ investigation_id: investigationId }) =>
        void navigate({ to: '/investigation/$investigationId', params: { investigationId } }),
    });
  };
  return (
    <form
      className="mb-6 flex flex-col gap-2"
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        send();
      }}
    >
      <Field
        label="What is wrong?"
        error={
          isTooLong
            ? `${characters.format(length)} characters; the limit is ${characters.format(MAX_CHARACTERS)}. Shorten it; Casebook reads the logs itself.`
            : start.error && messageOf(start.error)
        }
        hint={
          <>
            What you see, where, and since when.
            <span className="pointer-coarse:hidden"> Enter to start, Shift+Enter for a new line.</span>
          </>
        }
      >
        {(control) => (
          <Textarea
            {...control}
            ref={field}
            rows={2}
            placeholder="Checkout has been slow since 14:00, and the cart returns errors."
            value={draft.query}
            readOnly={start.isPending}
            onChange={({ target }) => write(target.value)}
            onKeyDown={sendOnEnter(send)}
          />
        )}
      </Field>
      <Button type="submit" variant="primary" className="self-start" disabled={!mayStart}>
        <Search aria-hidden size={16} /> {start.isPending ? 'Starting…' : 'Investigate'}
      </Button>
    </form>
  );
}
