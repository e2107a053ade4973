import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../../api/client.ts';
import { messageOf } from '../../app/message-of.ts';
import { Button } from '../../components/ui/button.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { Field, Select } from '../../components/ui/field.tsx';

interface Account {
  id: number | string;
  name: string;
}

/** The second step of New Relic, where a key sees several accounts. It can be taken later, from the row. */
export function ChooseAccount(props: { accounts: readonly Account[]; onDone: () => void; onClose: () => void }) {
  const { accounts, onDone, onClose } = props;
  const [chosen, setChosen] = useState(String(accounts[0]?.id ?? ''));
  const choose = useMutation({
    mutationFn: () => dataOf(api.POST('/api/onboarding/apm-a/step2', { body: { account_id: Number(chosen) } })),
    onSuccess: onDone,
  });
  return (
    <Dialog open onOpenChange={(isOpen) => !isOpen && onClose()} title="Choose an account" isSticky>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (!choose.isPending) choose.mutate();
        }}
      >
        <Field
          label="Account"
          hint="The key sees several; this one is queried."
          error={choose.error && messageOf(choose.error)}
        >
          {(control) => (
            <Select {...control} value={chosen} onChange={({ target }) => setChosen(target.value)}>
              {accounts.map(({ id, name }) => (
                <option key={id} value={id}>
                  {`${name} (${id})`}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={choose.isPending}>
            Use this account
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
