/** Lets a chat's turns change external systems. Off by default. */
export const AllowChanges = ({
  isAllowed,
  onChange,
}: {
  isAllowed: boolean;
  onChange: (isAllowed: boolean) => void;
}) => (
  <label className="flex min-h-8 items-center gap-2 rounded-md px-2 text-sm text-ink-soft hover:bg-sunken">
    <input
      type="checkbox"
      checked={isAllowed}
      onChange={({ target }) => onChange(target.checked)}
      className="size-4 accent-accent"
    />
    Allow changes to external systems
    {isAllowed && ': tools run without asking'}
  </label>
);
