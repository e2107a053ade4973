import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent, type SubmitEvent } from 'react';
import { messageOf } from '../../app/message-of.ts';
import { Button } from '../../components/ui/button.tsx';
import { Field, Textarea } from '../../components/ui/field.tsx';
import { startInvestigation } from './queries.ts';

/** What is written here stays until it is sent, also when the page is left meanwhile. */
const DRAFT = 'casebook.new-investigation';
const MOST_CHARACTERS = 20_000;

/** The field from which an investigation is started. */
export function NewInvestigation() {
  const [query, setQuery] = useState(() => sessionStorage.getItem(DRAFT) ?? '');
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID());
  const field = useRef<HTMLTextAreaElement>(null);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const location = useLocation();

  // The key `n` and the button beside the pages lead here.
  useEffect(() => {
    if (location.hash === 'new') field.current?.focus();
  }, [location]);

  const start = useMutation({
    mutationFn: () => startInvestigation(query.trim(), idempotencyKey),
    onSuccess: async ({ investigation_id: investigationId }) => {
      sessionStorage.removeItem(DRAFT);
      void queryClient.invalidateQueries({ queryKey: ['investigations'] });
      await navigate({ to: '/investigation/$investigationId', params: { investigationId } });
    },
  });
  const write = (text: string): void => {
    setQuery(text);
    // Another text is another investigation.
    setIdempotencyKey(crypto.randomUUID());
    sessionStorage.setItem(DRAFT, text);
  };
  const send = (): void => {
    if (query.trim() !== '' && !start.isPending) start.mutate();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
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
        error={start.error && messageOf(start.error)}
        hint="Say what you see, where, and since when. Enter starts the investigation, Shift+Enter makes a new line."
      >
        {(control) => (
          <Textarea
            {...control}
            ref={field}
            rows={2}
            maxLength={MOST_CHARACTERS}
            placeholder="Checkout has been slow since 14:00, and the cart returns errors."
            value={query}
            onChange={({ target }) => write(target.value)}
            onKeyDown={onKeyDown}
          />
        )}
      </Field>
      <Button type="submit" variant="primary" className="self-start" disabled={query.trim() === '' || start.isPending}>
        <Search aria-hidden size={16} /> {start.isPending ? 'Starting …' : 'Investigate'}
      </Button>
    </form>
  );
}
