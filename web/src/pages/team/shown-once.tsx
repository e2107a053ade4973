import { CopyButton } from '../../components/ui/copy-button.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';

export interface ShownOnceProps {
  title: string;
  description: string;
  /** null: nothing to show. */
  secret: string | null;
  onClose: () => void;
}

/** A secret that the server reveals only once. */
export function ShownOnce({ title, description, secret, onClose }: ShownOnceProps) {
  return (
    <Dialog
      open={secret !== null}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={title}
      description={description}
      isSticky
    >
      <p className="mb-3 rounded-md bg-sunken p-3 font-mono text-sm break-all select-all">{secret}</p>
      <CopyButton variant="primary" text={() => secret ?? ''}>
        Copy
      </CopyButton>
    </Dialog>
  );
}
