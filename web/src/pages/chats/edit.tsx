/** Renames and deletes a chat. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schema } from '../../api/client.ts';
import { messageOf } from '../../app/message-of.ts';
import { Button } from '../../components/ui/button.tsx';
import { Confirm, Dialog } from '../../components/ui/dialog.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { useToaster } from '../../components/ui/toast.tsx';

/** The parts of a chat that renaming and deleting show. */
export type NamedChat = Pick<Schema<'ChatSummary'>, 'id' | 'title'>;

/** Chats appear in lists and on their own page. */
function useRefresh(chatId: string): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: ['chats'] }),
      queryClient.invalidateQueries({ queryKey: ['chat', chatId] }),
    ]);
}

export function RenameChat({ chat, onClose }: { chat: NamedChat; onClose: () => void }) {
  const [title, setTitle] = useState(chat.title);
  const refresh = useRefresh(chat.id);
  const rename = useMutation({
    mutationFn: () =>
      dataOf(api.PATCH('/api/chat/{chat_id}/title', { params: { path: { chat_id: chat.id } }, body: { title } })),
    onSuccess: async () => {
      await refresh();
      onClose();
    },
  });
  return (
    <Dialog open onOpenChange={onClose} title="Rename chat">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (title.trim() !== '') rename.mutate();
        }}
      >
        <Field label="Title" error={rename.error === null ? undefined : messageOf(rename.error)}>
          {(control) => (
            <Input {...control} value={title} maxLength={200} onChange={({ target }) => setTitle(target.value)} />
          )}
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={title.trim() === '' || rename.isPending}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export function DeleteChat(props: { chat: NamedChat; onClose: () => void; onDeleted?: () => void }) {
  const { chat, onClose, onDeleted } = props;
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/api/chat/{chat_id}', { params: { path: { chat_id: chat.id } } })),
    onSuccess: async () => {
      toaster.say('Chat deleted.');
      onDeleted?.();
      queryClient.removeQueries({ queryKey: ['chat', chat.id] });
      await queryClient.invalidateQueries({ queryKey: ['chats'] });
    },
    onError: (error) => toaster.fail(error),
  });
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title="Delete this chat?"
      description={
        <>
          “<bdi>{chat.title}</bdi>” and all its messages will be deleted for the whole team. This cannot be undone.
          Investigations it started are kept.
        </>
      }
      action="Delete"
      onConfirm={() => remove.mutate()}
    />
  );
}
