import { Pencil, Trash2 } from 'lucide-react';
import { useState, type ReactElement, type ReactNode } from 'react';
import { Menu, MenuItem } from '../../components/ui/menu.tsx';
import { DeleteChat, RenameChat, type NamedChat } from './edit.tsx';

export interface ChatMenuProps {
  chat: NamedChat;
  mayRename: boolean;
  mayDelete: boolean;
  /** The element that opens the menu. */
  trigger: ReactElement;
  onDeleted?: () => void;
  /** Items between rename and delete. */
  children?: ReactNode;
}

/** The actions on a chat, wherever it is shown. */
export function ChatMenu({ chat, mayRename, mayDelete, trigger, onDeleted, children }: ChatMenuProps) {
  const [asks, setAsks] = useState<'rename' | 'delete'>();
  const close = (): void => setAsks(undefined);
  return (
    <>
      <Menu trigger={trigger}>
        {mayRename && (
          <MenuItem onSelect={() => setAsks('rename')}>
            <Pencil aria-hidden size={16} /> Rename
          </MenuItem>
        )}
        {children}
        {mayDelete && (
          <MenuItem onSelect={() => setAsks('delete')}>
            <Trash2 aria-hidden size={16} /> Delete
          </MenuItem>
        )}
      </Menu>
      {asks === 'rename' && <RenameChat chat={chat} onClose={close} />}
      {asks === 'delete' && <DeleteChat chat={chat} onClose={close} {...(onDeleted && { onDeleted })} />}
    </>
  );
}
