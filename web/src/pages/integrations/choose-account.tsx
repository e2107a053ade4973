import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '../../app/message-of.ts';
import { Button } from '../../components/ui/button.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { Field, Input, Select } from '../../components/ui/field.tsx';
import { chooseAccount } from './requests.ts';
import type { Family } from './queries.ts';

/** The step after the credential: which of the accounts or projects that it sees is queried. */
export function ChooseAccount(props: {
  family: Family;
  /** None if the vendor does not list them: then one is named. */
  accounts: readonly { id: string | number; name: string }[];
  onDone: () => void;
  onClose: () => void;
}) {
  const { family, accounts, onDone, onClose } = props;
  const [chosen, setChosen] = useState(String(accounts[0]?.id ?? ''));
  const choose = useMutation({ mutationFn: () => chooseAccount(family, chosen), onSuccess: onDone });
  const word = choiceOf(family);
  return (
    <Dialog open onOpenChange={(isOpen) => !isOpen && onClose()} title={`Choose ${article(word)}`} isSticky>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (!choose.isPending) choose.mutate();
        }}
      >
        <Field
          label={word === 'account' ? 'Account' : 'Project ID'}
          hint={
            accounts.length > 0 ? 'The credential can see several. Choose the one to query.' : 'The project to query.'
          }
          error={choose.error && messageOf(choose.error)}
        >
          {(control) =>
            accounts.length === 0 ? (
              <Input {...control} required value={chosen} onChange={({ target }) => setChosen(target.value)} />
            ) : (
              <Select {...control} value={chosen} onChange={({ target }) => setChosen(target.value)}>
                {accounts.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {`${name} (${id})`}
                  </option>
                ))}
              </Select>
            )
          }
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={choose.isPending}>
            {`Use this ${word}`}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** What its credential sees several of. */
export const choiceOf = (family: Family): 'account' | 'project' => (family === 'apm-a' ? 'account' : 'project');

export const article = (word: string): string => `${word.startsWith('a') ? 'an' : 'a'} ${word}`;
