import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { api, dataOf } from '../../api/client.ts';
import { may, sessionQuery } from '../../api/session.ts';
import { messageOf } from '../../app/message-of.ts';
import { Button } from '../../components/ui/button.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { Field, Input, Select } from '../../components/ui/field.tsx';
import { apiKeysQuery, membersQuery } from './queries.ts';
import { scopesByTopic, type Scope } from './scopes.ts';

const USUAL: readonly Scope[] = ['investigations:read', 'investigations:write'];

export interface NewApiKeyProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Receives the key, which the API returns only once. */
  onCreated: (apiKey: string) => void;
}

/** A dialog that creates an API key. */
export function NewApiKey({ open, onOpenChange, onCreated }: NewApiKeyProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Create API key">
      <NewApiKeyForm
        onCreated={(apiKey) => {
          onOpenChange(false);
          onCreated(apiKey);
        }}
      />
    </Dialog>
  );
}

/** Empty each time the dialog opens. */
function NewApiKeyForm({ onCreated }: Pick<NewApiKeyProps, 'onCreated'>) {
  const [name, setName] = useState('');
  const [userId, setUserId] = useState('');
  const [days, setDays] = useState('');
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(USUAL));
  const { data: session } = useQuery(sessionQuery);
  const { data: members = [] } = useQuery(membersQuery);
  const { data: keys } = useQuery(apiKeysQuery);
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/api/api-keys', {
          body: {
            name: name.trim(),
            scopes: [...scopes],
            ...(userId !== '' && { user_id: userId }),
            ...(days !== '' && { expires_at: new Date(Date.now() + Number(days) * 86_400_000).toISOString() }),
          },
        }),
      ),
    onSuccess: async ({ api_key: apiKey }) => {
      await queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
      onCreated(apiKey);
    },
  });
  const toggle = (scope: Scope, isOn: boolean): void => {
    const next = new Set(scopes);
    if (isOn) next.add(scope);
    else next.delete(scope);
    setScopes(next);
  };
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        if (!create.isPending) create.mutate();
      }}
    >
      <Field label="Name" hint="What the key is for." error={create.error && messageOf(create.error)}>
        {(control) => (
          <Input {...control} required maxLength={100} value={name} onChange={({ target }) => setName(target.value)} />
        )}
      </Field>
      <Field
        label="Acts for"
        hint="Actions are attributed to this member; the key is revoked when they leave the team."
      >
        {(control) => (
          <Select {...control} value={userId} onChange={({ target }) => setUserId(target.value)}>
            <option value="">No one (service key)</option>
            {members
              .filter(({ role, user_id: id }) => role === 'member' || id === session?.user?.id)
              .map(({ user_id: id, name, email }) => (
                <option key={id} value={id}>
                  {name} ({email})
                </option>
              ))}
          </Select>
        )}
      </Field>
      <Field label="Expires">
        {(control) => (
          <Select {...control} value={days} onChange={({ target }) => setDays(target.value)}>
            <option value="">Never</option>
            <option value="30">In 30 days</option>
            <option value="90">In 90 days</option>
            <option value="365">In a year</option>
          </Select>
        )}
      </Field>
      <fieldset>
        <legend className="mb-1 text-sm font-medium">Permissions</legend>
        <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
          {[...scopesByTopic(keys?.scopes ?? [], (scope) => may(session, scope))].map(([topic, known]) => (
            <div key={topic}>
              <p className="text-sm text-ink-soft capitalize">{topic}</p>
              {known.map(({ scope, allows }) => (
                <label key={scope} className="flex min-h-7 items-center gap-2">
                  <input
                    type="checkbox"
                    className="size-4 accent-accent"
                    checked={scopes.has(scope)}
                    onChange={({ target }) => toggle(scope, target.checked)}
                  />
                  {allows}
                </label>
              ))}
            </div>
          ))}
        </div>
      </fieldset>
      <Button type="submit" variant="primary" disabled={create.isPending || name.trim() === '' || scopes.size === 0}>
        Create key
      </Button>
    </form>
  );
}
