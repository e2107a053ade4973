import { useMutation } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { ApiError } from '../../../api/client.ts';
import { Button } from '../../../components/ui/button.tsx';
import { Field, Input, Select, Textarea } from '../../../components/ui/field.tsx';
import { useToaster } from '../../../components/ui/toast.tsx';
import { CHANNEL_FORMS, CHANNEL_TYPES, channelIssue, channelOf, type Channel, type ChannelType } from './channels.ts';

export interface ChannelFormProps<Saved> {
  initial: ChannelType;
  save: (channel: Channel) => Promise<Saved>;
  /** What is said then. */
  saved: string;
  onSaved: (answer: Saved) => void;
  onCancel: () => void;
}

/** Replaces the channel. Secrets are write-only. */
export function ChannelForm<Saved>({ initial, save, saved, onSaved, onCancel }: ChannelFormProps<Saved>) {
  const [type, setType] = useState(initial);
  const [written, setWritten] = useState<Readonly<Record<string, string>>>({});
  const toaster = useToaster();
  const saving = useMutation({
    mutationFn: () => save(channelOf(type, written)),
    onSuccess: (answer) => {
      toaster.say(saved);
      onSaved(answer);
    },
    onError: (error) => {
      if (!(error instanceof ApiError && error.issues.length > 0)) toaster.fail(error);
    },
  });
  const issues = saving.error instanceof ApiError ? saving.error.issues : [];
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <form onSubmit={send} className="flex flex-col gap-3 rounded-md border p-3" autoComplete="off">
      <Field label="Type" error={channelIssue(issues)}>
        {(control) => (
          <Select
            {...control}
            value={type}
            onChange={(event) => {
              setType(CHANNEL_TYPES.find((each) => each === event.target.value) ?? type);
              setWritten({});
              saving.reset();
            }}
          >
            {CHANNEL_TYPES.map((each) => (
              <option key={each} value={each}>
                {CHANNEL_FORMS[each].title}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {CHANNEL_FORMS[type].fields.map(({ name, label, hint, placeholder, isSecret, isList }) => (
        <Field key={`${type} ${name}`} label={label} hint={hint} error={channelIssue(issues, name)}>
          {(control) => {
            const common = {
              ...control,
              value: written[name] ?? '',
              placeholder,
              onChange: ({ target: { value } }: { target: { value: string } }) =>
                setWritten({ ...written, [name]: value }),
            };
            if (isList) return <Textarea {...common} rows={3} spellCheck={false} />;
            return (
              <Input
                {...common}
                type={isSecret ? 'password' : 'text'}
                autoComplete={isSecret ? 'new-password' : 'off'}
              />
            );
          }}
        </Field>
      ))}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" disabled={saving.isPending}>
          Save channel
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
