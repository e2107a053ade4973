import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { api, dataOf, type Schema } from '../../api/client.ts';
import { messageOf } from '../../app/message-of.ts';
import { Button } from '../../components/ui/button.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { Field, Input, Select } from '../../components/ui/field.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { membersQuery } from './queries.ts';

type Request = Schema<'MemberAddRequest'>;
const NOBODY: Request = { name: '', email: '', role: 'member' };

/** A dialog that adds a member. */
export function AddMember({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Add member">
      <AddMemberForm onDone={() => onOpenChange(false)} />
    </Dialog>
  );
}

/** Empty each time the dialog opens. */
function AddMemberForm({ onDone }: { onDone: () => void }) {
  const [person, setPerson] = useState(NOBODY);
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const add = useMutation({
    mutationFn: () => dataOf(api.POST('/api/team/members', { body: person })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: membersQuery.queryKey });
      onDone();
      toaster.say(`${person.name.trim()} added. Create a sign-in link for them, or let them sign in themselves.`);
    },
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!add.isPending) add.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field label="Name">
        {(control) => (
          <Input
            {...control}
            required
            value={person.name}
            onChange={({ target }) => setPerson({ ...person, name: target.value })}
          />
        )}
      </Field>
      <Field label="Email" hint="Must match the identity provider." error={add.error && messageOf(add.error)}>
        {(control) => (
          <Input
            {...control}
            type="email"
            required
            value={person.email}
            onChange={({ target }) => setPerson({ ...person, email: target.value })}
          />
        )}
      </Field>
      <Field label="Role" hint="Admins manage members and API keys, and have every permission in the team.">
        {(control) => (
          <Select
            {...control}
            value={person.role}
            onChange={({ target }) => setPerson({ ...person, role: target.value === 'admin' ? 'admin' : 'member' })}
          >
            <option value="member">Member</option>
            <option value="admin">Admin</option>
          </Select>
        )}
      </Field>
      <Button type="submit" variant="primary" disabled={add.isPending}>
        Add member
      </Button>
    </form>
  );
}
