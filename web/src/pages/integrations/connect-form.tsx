import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { useEffect, useId, useState, type SubmitEvent } from 'react';
import { ApiError } from '../../api/client.ts';
import { messageOf } from '../../app/message-of.ts';
import { Button } from '../../components/ui/button.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { sourcesQuery } from '../../components/connect-source.tsx';
import { ChooseAccount } from './choose-account.tsx';
import { bodyOf, changesOf, fieldsFor, initialOf, pathOf, sentence, type Values } from './form-values.ts';
import { integrationsQuery, type Integration } from './queries.ts';
import { connectVendor, isOneOfMany, rememberCallback, saveIntegration, type ConnectAnswer } from './requests.ts';
import { VendorField } from './vendor-field.tsx';
import type { FormField, Vendor } from './vendors.ts';
import { isToSetUp, WebhookToSetUp } from './webhook.tsx';
import { titleOf } from './words.ts';

interface ConnectFormProps {
  vendor: Vendor;
  /** What is changed; without one, a new connection is made. */
  integration?: Integration | undefined;
  onClose: () => void;
}

/** Asks for what a vendor needs, and connects it or changes a connection. */
export function ConnectForm({ vendor, integration, onClose }: ConnectFormProps) {
  const { title, credential, consentAt } = vendor;
  // A consent that was withdrawn is asked for again.
  const isEdit = integration !== undefined && isOneOfMany(integration) && integration.status !== 'needs_reconnect';
  const fields = fieldsFor(vendor, integration, isEdit);
  const [values, setValues] = useState<Values>({});
  const valueOf = (field: FormField): string => values[field.name] ?? initialOf(field, integration);
  const path = pathOf(vendor, (name) => values[name] ?? (name === 'family' ? integration?.family : undefined));
  const [accounts, setAccounts] = useState<NonNullable<ConnectAnswer['accounts']>>();
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const formId = useId();
  const [webhook, setWebhook] = useState<ConnectAnswer['webhook']>();
  const changes = isEdit ? changesOf(fields, values, integration) : {};
  const done = async (): Promise<void> => {
    onClose();
    const named = integration ? titleOf(integration) : (values['name'] ?? title);
    toaster.say(isEdit ? `${named} was changed.` : `${named} is connected.`);
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: integrationsQuery.queryKey }),
      queryClient.invalidateQueries({ queryKey: sourcesQuery.queryKey }),
    ]);
  };
  const connect = useMutation({
    mutationFn: async (): Promise<ConnectAnswer> => {
      if (!isEdit) return connectVendor(path, bodyOf(vendor, valueOf, integration));
      await saveIntegration(integration, changes);
      return {};
    },
    onSuccess: async ({ status, authorization_url: url, accounts: found, webhook: hook }) => {
      if (typeof url === 'string') {
        rememberCallback(path);
        location.assign(url);
      } else if (status === 'select_account' && found) {
        setAccounts(found);
        await queryClient.invalidateQueries({ queryKey: integrationsQuery.queryKey });
      } else if (isToSetUp(hook)) setWebhook(hook);
      else await done();
    },
  });
  // What is wrong may be out of sight.
  useEffect(() => {
    if (connect.error) document.getElementById(formId)?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [connect.error, formId]);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isEdit && Object.keys(changes).length === 0) onClose();
    else if (!connect.isPending) connect.mutate();
  };
  if (accounts)
    return <ChooseAccount family={vendor.family} accounts={accounts} onDone={() => void done()} onClose={onClose} />;
  if (isToSetUp(webhook))
    return (
      <Dialog
        open
        onOpenChange={(isOpen) => !isOpen && void done()}
        title={`${title} is connected`}
        isSticky
        footer={
          <Button variant="primary" onClick={() => void done()}>
            Done
          </Button>
        }
      >
        <WebhookToSetUp webhook={webhook} />
      </Dialog>
    );
  const { issueOf, general } = said(connect.error, fields);
  const action = isEdit ? 'Test and save' : consentAt === undefined ? 'Test and connect' : `Continue to ${consentAt}`;
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={integration ? `${isEdit ? 'Edit' : 'Connect again:'} ${titleOf(integration)}` : `Connect ${title}`}
      isSticky
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" disabled={connect.isPending}>
            {connect.isPending ? 'Testing…' : action}
          </Button>
        </>
      }
    >
      <Credential {...credential} />
      <form id={formId} onSubmit={submit} className="flex flex-col gap-3">
        {fields.map((field) => (
          <VendorField
            key={field.name}
            field={field}
            value={valueOf(field)}
            error={issueOf(field.name)}
            isKept={isEdit && field.kind === 'password'}
            onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
        {general !== undefined && (
          <p role="alert" className="text-sm wrap-anywhere text-bad">
            {general}
          </p>
        )}
      </form>
    </Dialog>
  );
}

/** What the API says: of each field, and of the request as a whole. */
function said(error: unknown, fields: readonly FormField[]) {
  const memberOf = (name: string): string => name.split('.')[0] ?? '';
  const issues = error instanceof ApiError ? error.issues : [];
  const isOfField = (path: string): boolean => fields.some(({ name }) => memberOf(name) === memberOf(path));
  const others = issues.filter(({ path }) => !isOfField(path));
  return {
    issueOf(name: string): string | undefined {
      const issue = issues.find(({ path }) => memberOf(path) === memberOf(name));
      return issue && sentence(issue.message);
    },
    general:
      others.length > 0
        ? others.map(({ message }) => sentence(message)).join(' ')
        : error !== null && issues.length === 0
          ? messageOf(error)
          : undefined,
  };
}

/** How to make a credential, and where. */
const Credential = ({ text, code, link }: Vendor['credential']) => (
  <div className="mb-4 rounded-md bg-sunken p-3 text-sm">
    <p>{text}</p>
    {code !== undefined && <pre className="mt-2 wrap-anywhere whitespace-pre-wrap">{code}</pre>}
    {link !== undefined && (
      <a
        href={link.to}
        target="_blank"
        rel="noreferrer"
        className="mt-2 inline-flex items-center gap-1 text-accent underline"
      >
        {link.label} <ExternalLink aria-hidden size={14} />
      </a>
    )}
  </div>
);
