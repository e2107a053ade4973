import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { messageOf } from '../../app/message-of.ts';
import { Button } from '../../components/ui/button.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { WORKSPACE, writeFile } from './queries.ts';

export function NewFile() {
  const [isOpen, setIsOpen] = useState(false);
  const [path, setPath] = useState('');
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () => writeFile(path.trim(), '', null),
    onSuccess: async ({ path: made }) => {
      setIsOpen(false);
      setPath('');
      await navigate({ to: '/workspace', search: { path: made } });
      void client.invalidateQueries({ queryKey: WORKSPACE });
    },
  });
  const { error } = create;
  const isThere = error instanceof ApiError && error.status === 412;
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>New file</Button>
      <Dialog open={isOpen} onOpenChange={setIsOpen} title="New file">
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate();
          }}
        >
          <Field
            label="Path"
            hint="From the root of the workspace, such as runbooks/checkout.md. Folders are made as needed."
            error={error === null ? undefined : isThere ? 'There is a file with this path already.' : messageOf(error)}
          >
            {(control) => (
              <Input
                {...control}
                required
                maxLength={1_000}
                value={path}
                onChange={({ target }) => setPath(target.value)}
              />
            )}
          </Field>
          <Button type="submit" variant="primary" className="self-end" disabled={create.isPending}>
            Create
          </Button>
        </form>
      </Dialog>
    </>
  );
}
