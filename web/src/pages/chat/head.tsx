/** The head of a chat: what it is called and about, and what can be done with it. */
import { Link, useNavigate } from '@tanstack/react-router';
import { Activity, Copy, EllipsisVertical, Pencil, Radar, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Schema } from '../../api/client.ts';
import { Button } from '../../components/ui/button.tsx';
import { Menu, MenuItem } from '../../components/ui/menu.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { DeleteChat, RenameChat } from '../chats/edit.tsx';

export interface ChatHeadProps {
  chat: Pick<Schema<'ChatDetailResponse'>, 'id' | 'title' | 'monitoring' | 'investigation_id'>;
  /** Whether its title may be changed, and it be deleted. */
  mayRename: boolean;
  mayDelete: boolean;
  /** The Temporal workflow of the newest turn. */
  workflowId: string | undefined;
}

export function ChatHead({ chat, mayRename, mayDelete, workflowId }: ChatHeadProps) {
  const [asks, setAsks] = useState<'rename' | 'delete'>();
  const navigate = useNavigate();
  const toaster = useToaster();
  const close = (): void => setAsks(undefined);
  const copy = async (text: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      toaster.say('Copied.');
    } catch {
      toaster.fail(new Error('The browser did not let the page write to the clipboard.'));
    }
  };
  return (
    <header className="mb-2 flex items-start gap-2 border-b pb-3">
      <div className="min-w-0 flex-1">
        <h1 className="text-xl font-semibold tracking-tight break-words">{chat.title}</h1>
        <ChatSubject chat={chat} />
      </div>
      <Menu
        trigger={
          <Button variant="quiet" icon aria-label="What to do with this chat">
            <EllipsisVertical aria-hidden size={18} />
          </Button>
        }
      >
        {mayRename && (
          <MenuItem onSelect={() => setAsks('rename')}>
            <Pencil aria-hidden size={16} /> Rename
          </MenuItem>
        )}
        {workflowId !== undefined && (
          <MenuItem onSelect={() => void copy(workflowId)}>
            <Copy aria-hidden size={16} /> Copy the Temporal workflow id
          </MenuItem>
        )}
        {mayDelete && (
          <MenuItem onSelect={() => setAsks('delete')}>
            <Trash2 aria-hidden size={16} /> Delete
          </MenuItem>
        )}
      </Menu>
      {asks === 'rename' && <RenameChat chat={chat} onClose={close} />}
      {asks === 'delete' && (
        <DeleteChat chat={chat} onClose={close} onDeleted={() => void navigate({ to: '/chats' })} />
      )}
    </header>
  );
}

const SUBJECT = 'mt-1 inline-flex items-center gap-1.5 text-sm text-accent underline underline-offset-2';

function ChatSubject({ chat }: Pick<ChatHeadProps, 'chat'>) {
  if (chat.monitoring) {
    return (
      <Link to="/monitoring/$agentId" params={{ agentId: chat.id }} className={SUBJECT}>
        <Activity aria-hidden size={14} /> The monitoring agent of this chat
      </Link>
    );
  }
  if (chat.investigation_id !== null) {
    return (
      <Link
        to="/investigation/$investigationId"
        params={{ investigationId: chat.investigation_id }}
        className={SUBJECT}
      >
        <Radar aria-hidden size={14} /> The investigation this is about
      </Link>
    );
  }
  return null;
}
