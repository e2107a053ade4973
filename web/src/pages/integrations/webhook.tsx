import { CopyButton } from '../../components/ui/copy-button.tsx';
import type { Schema } from '../../api/client.ts';

type Webhook = Schema<'CodeHostWebhook'>;

/** Whether somebody has to set the webhook up by hand. */
export const isToSetUp = (webhook: Webhook | undefined): webhook is Webhook & { secret: string } =>
  webhook !== undefined && webhook.secret !== null;

/** What to enter at a code host whose webhooks could not be registered. */
export function WebhookToSetUp({ webhook }: { webhook: Webhook & { secret: string } }) {
  const { url, secret, problem } = webhook;
  return (
    <div className="rounded-md border border-warn bg-warn-soft px-3 py-2 text-sm">
      <p className="font-medium text-warn">Not every repository reports its pushes yet.</p>
      {problem !== null && <p className="mt-1 wrap-anywhere">{problem}</p>}
      <p className="mt-1">
        Add a webhook there by hand, with JSON as content, for pushes, branches and tags, pull requests and runs. Until
        then Casebook finds out by comparing, every few minutes. The secret is shown only now.
      </p>
      {[
        ['URL', url],
        ['Secret', secret],
      ].map(([label, value = '']) => (
        <div key={label} className="mt-2 flex items-center gap-2">
          <span className="w-14 shrink-0">{label}</span>
          <code className="min-w-0 flex-1 text-xs break-all">{value}</code>
          <CopyButton size="small" text={() => value}>
            Copy<span className="sr-only"> {label}</span>
          </CopyButton>
        </div>
      ))}
    </div>
  );
}
