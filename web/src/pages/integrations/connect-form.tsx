import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { useState, type SubmitEvent } from 'react';
import { ApiError } from '../../api/client.ts';
import { may, sessionQuery } from '../../api/session.ts';
import { messageOf } from '../../app/message-of.ts';
import { Button } from '../../components/ui/button.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { Field, Input, Select, Textarea, type FieldProps } from '../../components/ui/field.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { sourcesQuery } from '../../components/connect-source.tsx';
import { satellitesQuery } from '../satellites/queries.ts';
import { ChooseAccount } from './choose-account.tsx';
import { integrationsQuery } from './queries.ts';
import { connectVendor, rememberCallback } from './requests.ts';
import type { FormField, Vendor } from './vendors.ts';

type Values = Record<string, string>;
type Account = { id: number; name: string };

/** The request: what was left empty is left out, and numbers are numbers. */
function bodyOf(fields: readonly FormField[], values: Values): Record<string, unknown> {
  const given = fields.flatMap(({ name, kind, initial }): [string, unknown][] => {
    const value = values[name] ?? initial ?? '';
    if (value === '') return [];
    const [member = '', inner] = name.split('.');
    return [[member, inner === undefined ? (kind === 'number' ? Number(value) : value) : { [inner]: value }]];
  });
  return Object.fromEntries(given);
}

/** Asks for what a vendor needs, and connects it. */
export function ConnectForm({ vendor, onClose }: { vendor: Vendor; onClose: () => void }) {
  const { title, path, fields, credential, isConsent } = vendor;
  const [values, setValues] = useState<Values>({});
  const [accounts, setAccounts] = useState<Account[]>();
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const done = async (): Promise<void> => {
    onClose();
    toaster.say(`${values['name'] ?? title} is connected.`);
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: integrationsQuery.queryKey }),
      queryClient.invalidateQueries({ queryKey: sourcesQuery.queryKey }),
    ]);
  };
  const connect = useMutation({
    mutationFn: () => connectVendor(path, bodyOf(fields, values)),
    onSuccess: async ({ status, authorization_url: url, accounts: found }) => {
      if (typeof url === 'string') {
        rememberCallback(path);
        location.assign(url);
      } else if (status === 'select_account' && found) setAccounts(found);
      else await done();
    },
  });
  const { error } = connect;
  const issues = error instanceof ApiError ? error.issues : [];
  const issueOf = (name: string): string | undefined =>
    issues.find((issue) => issue.path.split('.')[0] === name.split('.')[0])?.message.replace(/^Value error, /u, '');
  const general =
    error && !issues.some((issue) => fields.some(({ name }) => name.split('.')[0] === issue.path.split('.')[0]));
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!connect.isPending) connect.mutate();
  };
  if (accounts)
    return <ChooseAccount family={vendor.family} accounts={accounts} onDone={() => void done()} onClose={onClose} />;
  return (
    <Dialog open onOpenChange={(isOpen) => !isOpen && onClose()} title={`Connect ${title}`} isSticky>
      <div className="mb-4 rounded-md bg-sunken p-3 text-sm">
        <p>{credential.text}</p>
        {credential.code !== undefined && (
          <pre className="mt-2 wrap-anywhere whitespace-pre-wrap">{credential.code}</pre>
        )}
        {credential.link !== undefined && (
          <a
            href={credential.link}
            target="_blank"
            rel="noreferrer"
            className="mt-2 inline-flex items-center gap-1 text-accent underline"
          >
            The vendor's guide <ExternalLink aria-hidden size={14} />
          </a>
        )}
      </div>
      <form onSubmit={submit} className="flex flex-col gap-3">
        {fields.map((field) => (
          <VendorField
            key={field.name}
            field={field}
            value={values[field.name] ?? field.initial ?? ''}
            error={issueOf(field.name)}
            onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
        {general && (
          <p role="alert" className="text-sm text-bad">
            {messageOf(error)}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={connect.isPending}>
            {connect.isPending ? 'Testing…' : isConsent ? 'Continue at the vendor' : 'Test and connect'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function VendorField(props: {
  field: FormField;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  const { field, value, error, onChange } = props;
  const { label, hint, kind = 'text', choices = [], isOptional } = field;
  const { data: session } = useQuery(sessionQuery);
  const seesSatellites = kind === 'satellite' && may(session, 'satellites:read');
  const { data: satellites } = useQuery({ ...satellitesQuery(session?.team.id ?? ''), enabled: seesSatellites });
  if (kind === 'satellite' && !satellites?.length) return null;
  const control: FieldProps['children'] = (attributes) => {
    const shared = {
      ...attributes,
      value,
      required: isOptional !== true,
      onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
    };
    if (kind === 'choice' || kind === 'satellite') {
      const options =
        kind === 'choice' ? choices : (satellites ?? []).map(({ name }) => [name, `Satellite ${name}`] as const);
      return (
        <Select {...shared}>
          {kind === 'satellite' && <option value="">Casebook itself</option>}
          {options.map(([option, words]) => (
            <option key={option} value={option}>
              {words}
            </option>
          ))}
        </Select>
      );
    }
    if (kind === 'area') return <Textarea {...shared} rows={4} spellCheck={false} className="font-mono text-sm" />;
    const type = kind === 'password' ? 'password' : kind === 'number' ? 'number' : 'text';
    return (
      <Input {...shared} type={type} autoComplete={kind === 'password' ? 'new-password' : 'off'} spellCheck={false} />
    );
  };
  return (
    <Field
      label={isOptional === true ? `${label} (optional)` : label}
      error={error}
      {...(hint !== undefined && { hint })}
    >
      {control}
    </Field>
  );
}
