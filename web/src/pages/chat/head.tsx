/** The head of a chat: title, subject, actions. */
import { Link, useNavigate } from '@tanstack/react-router';
import { Activity, Copy, EllipsisVertical, Radar } from 'lucide-react';
import type { Schema } from '../../api/client.ts';
import { Button } from '../../components/ui/button.tsx';
import { useClipboard } from '../../components/ui/clipboard.ts';
import { MenuItem } from '../../components/ui/menu.tsx';
import { ChatMenu } from '../chats/menu.tsx';

export interface ChatHeadProps {
  chat: Pick<Schema<'ChatDetailResponse'>, 'id' | 'title' | 'monitoring' | 'investigation_id'>;
  /** Whether it may be renamed and deleted. */
  mayRename: boolean;
  mayDelete: boolean;
  /** The Temporal workflow of the newest turn. */
  workflowId: string | undefined;
}

export function ChatHead({ chat, mayRename, mayDelete, workflowId }: ChatHeadProps) {
  const navigate = useNavigate();
  const copy = useClipboard();
  return (
    <header className="mb-2 flex items-start gap-2 border-b pb-3">
      <div className="min-w-0 flex-1">
        <h1 className="text-xl font-semibold tracking-tight break-words">{chat.title}</h1>
        <ChatSubject chat={chat} />
      </div>
      <ChatMenu
        chat={chat}
        {...{ mayRename, mayDelete }}
        trigger={
          <Button variant="quiet" icon aria-label="Chat actions">
            <EllipsisVertical aria-hidden size={18} />
          </Button>
        }
        onDeleted={() => void navigate({ to: '/chats' })}
      >
        {workflowId !== undefined && (
          <MenuItem onSelect={() => void copy(workflowId)}>
            <Copy aria-hidden size={16} /> Copy Temporal workflow ID
          </MenuItem>
        )}
      </ChatMenu>
    </header>
  );
}

const SUBJECT = 'mt-1 inline-flex items-center gap-1.5 text-sm text-accent underline underline-offset-2';

function ChatSubject({ chat }: Pick<ChatHeadProps, 'chat'>) {
  if (chat.monitoring) {
    return (
      <Link to="/monitoring/$agentId" params={{ agentId: chat.id }} className={SUBJECT}>
        <Activity aria-hidden size={14} /> Open agent
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
        <Radar aria-hidden size={14} /> Open investigation
      </Link>
    );
  }
  return null;
}
