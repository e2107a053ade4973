import { Link } from '@tanstack/react-router';
import { Activity, EllipsisVertical, Radar } from 'lucide-react';
import type { Schema } from '../../api/client.ts';
import { Badge } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Time } from '../../components/ui/time.tsx';
import { ChatMenu } from './menu.tsx';
import { marked } from './words.ts';

export interface ChatRowProps {
  chat: Schema<'ChatSummary'> & { snippet?: string };
  /** The search. */
  search: string;
  mayRename: boolean;
  mayDelete: boolean;
}

export function ChatRow({ chat, search, mayRename, mayDelete }: ChatRowProps) {
  return (
    <li className="relative flex items-center gap-2 px-4 py-2.5 hover:bg-sunken has-[a:focus-visible]:bg-sunken">
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            to="/chat/$chatId"
            params={{ chatId: chat.id }}
            title={chat.title}
            // The whole row opens the chat; its other controls lie on top.
            className="line-clamp-3 min-w-0 font-medium break-words after:absolute after:inset-0"
          >
            <Marked text={chat.title} search={search} />
          </Link>
          {chat.running && (
            <Badge tone="accent" live>
              Running
            </Badge>
          )}
        </div>
        {chat.snippet !== undefined && chat.snippet !== chat.title && (
          <p className="line-clamp-2 text-sm break-words text-ink-soft">
            <Marked text={chat.snippet} search={search} />
          </p>
        )}
        <p className="flex flex-wrap items-center gap-x-3 text-sm text-ink-soft">
          <Time at={chat.updated_at} />
          {chat.monitoring && (
            <span className="inline-flex items-center gap-1">
              <Activity aria-hidden size={14} /> Agent
            </span>
          )}
          {chat.investigation_id !== null && (
            <span className="inline-flex items-center gap-1">
              <Radar aria-hidden size={14} /> About an investigation
            </span>
          )}
        </p>
      </div>
      {(mayRename || mayDelete) && (
        <div className="relative z-10">
          <ChatMenu
            {...{ chat, mayRename, mayDelete }}
            trigger={
              <Button variant="quiet" size="small" icon aria-label={`Actions for ${chat.title}`}>
                <EllipsisVertical aria-hidden size={16} />
              </Button>
            }
          />
        </div>
      )}
    </li>
  );
}

const Marked = ({ text, search }: { text: string; search: string }) =>
  marked(text, search).map((piece, index) =>
    // Pieces of text have no key but their index.
    // oxlint-disable-next-line react/no-array-index-key
    index % 2 === 1 ? <mark key={index}>{piece}</mark> : piece,
  );
