import { CopyButton } from '../../../components/ui/copy-button.tsx';

/** A generated secret of a webhook. */
export const SigningSecret = ({ secret }: { secret: string }) => (
  <div className="rounded-md border border-warn bg-warn-soft px-3 py-2 text-sm">
    <p className="font-medium text-warn">Signing secret, shown only once:</p>
    <div className="mt-1 flex items-center gap-2">
      <code className="min-w-0 flex-1 text-xs break-all">{secret}</code>
      <CopyButton size="small" text={() => secret}>
        Copy
      </CopyButton>
    </div>
  </div>
);
