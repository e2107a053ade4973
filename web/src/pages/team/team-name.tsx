import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Pencil } from 'lucide-react';
import { useState, type SubmitEvent } from 'react';
import { api, dataOf } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { messageOf } from '../../app/message-of.ts';
import { Button } from '../../components/ui/button.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { Field, Input } from '../../components/ui/field.tsx';

/** Renames the team. */
export function TeamName({ name }: { name: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const [wanted, setWanted] = useState(name);
  const queryClient = useQueryClient();
  const rename = useMutation({
    mutationFn: () => dataOf(api.PATCH('/api/team', { body: { name: wanted.trim() } })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
      setIsOpen(false);
    },
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!rename.isPending) rename.mutate();
  };
  return (
    <>
      <Button
        onClick={() => {
          setWanted(name);
          rename.reset();
          setIsOpen(true);
        }}
      >
        <Pencil aria-hidden size={16} /> Rename
      </Button>
      <Dialog open={isOpen} onOpenChange={setIsOpen} title="Rename team">
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Field label="Name" error={rename.error && messageOf(rename.error)}>
            {(control) => (
              <Input
                {...control}
                required
                maxLength={100}
                value={wanted}
                onChange={({ target }) => setWanted(target.value)}
              />
            )}
          </Field>
          <Button type="submit" variant="primary" disabled={wanted.trim() === '' || rename.isPending}>
            Rename team
          </Button>
        </form>
      </Dialog>
    </>
  );
}
