import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { api, dataOf, type Schema } from '../../api/client.ts';
import { messageOf } from '../../app/message-of.ts';
import { Button } from '../../components/ui/button.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { Field, Input, Select } from '../../components/ui/field.tsx';
import { membersQuery } from './queries.ts';

type Request = Schema<'MemberAddRequest'>;
const NOBODY: Request = { name: '', email: '', role: 'member' };

/** The form by which a person becomes a member. */
export function AddMember({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const [person, setPerson] = useState(NOBODY);
  const queryClient = useQueryClient();
  const add = useMutation({
    mutationFn: () => dataOf(api.POST('/api/team/members', { body: person })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: membersQuery.queryKey });
      setPerson(NOBODY);
      onOpenChange(false);
    },
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Add a person">
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
        <Field
          label="E-mail"
          hint="By which the identity provider knows them."
          error={add.error && messageOf(add.error)}
        >
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
        <Field label="Role" hint="Admins add people, make API keys and may do everything within the team.">
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
          Add
        </Button>
      </form>
    </Dialog>
  );
}
