import { Dialog } from '../components/ui/dialog.tsx';
import { chooseKeys, useKeysChoice, type Shortcut } from './shortcuts.ts';

export interface KeysDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  shortcuts: readonly Shortcut[];
}

/** Lists the keyboard shortcuts, and turns them on and off. */
export function KeysDialog({ open, onOpenChange, shortcuts }: KeysDialogProps) {
  const areOn = useKeysChoice();
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2">
        {[...shortcuts, { keys: 'j k', title: 'Next and previous item in a list' }].map(({ keys, title }) => (
          <div key={keys} className="contents">
            <dt className="flex gap-1">
              {keys.split(' ').map((key) => (
                <kbd key={key} className="rounded border border-line-strong bg-sunken px-1.5 font-mono text-sm">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
      </dl>
      <label className="mt-4 flex min-h-7 items-center gap-2 border-t pt-3">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={areOn}
          onChange={({ target }) => chooseKeys(target.checked)}
        />
        Enable shortcuts in this browser
      </label>
    </Dialog>
  );
}
