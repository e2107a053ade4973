/** Lets a chat's turns change things outside. Off by default. */
export const ActOutside = ({ isAllowed, onChange }: { isAllowed: boolean; onChange: (isAllowed: boolean) => void }) => (
  <label className="flex min-h-8 items-center gap-2 rounded-md px-2 text-sm text-ink-soft hover:bg-sunken">
    <input
      type="checkbox"
      checked={isAllowed}
      onChange={({ target }) => onChange(target.checked)}
      className="size-4 accent-accent"
    />
    {isAllowed ? 'Can act outside: tools may change files, tickets and systems without asking' : 'Can act outside'}
  </label>
);
