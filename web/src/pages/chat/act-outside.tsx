import { Tooltip } from '../../components/ui/tooltip.tsx';

/** Lets the turns of a chat change something outside. Off unless somebody says so. */
export const ActOutside = ({ isAllowed, onChange }: { isAllowed: boolean; onChange: (isAllowed: boolean) => void }) => (
  <Tooltip text="Lets Casebook use tools that change something outside: such as files of the workspace, or what a connected tool can do. Without it, it only looks.">
    <label className="flex min-h-8 items-center gap-2 rounded-md px-2 text-sm text-ink-soft hover:bg-sunken">
      <input
        type="checkbox"
        checked={isAllowed}
        onChange={({ target }) => onChange(target.checked)}
        className="size-4 accent-accent"
      />
      May change things outside
    </label>
  </Tooltip>
);
