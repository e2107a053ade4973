import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { ApiError, type Schema } from '../../../api/client.ts';
import { Button } from '../../../components/ui/button.tsx';
import { Field, Input } from '../../../components/ui/field.tsx';
import { Panel } from '../../../components/ui/panel.tsx';
import { useToaster } from '../../../components/ui/toast.tsx';
import { configQuery, saveConfig } from '../queries.ts';

export interface ConfigProps {
  config: Schema<'MonitoringAgentConfigResponse'>;
  mayWrite: boolean;
}

/** As typed. */
interface Limits {
  title: string;
  hours: string;
  budget: string;
}

const limitsOf = (config: ConfigProps['config']): Limits => ({
  title: config.title,
  hours: String(config.eviction_hours),
  budget: String(config.model_budget_usd_per_day),
});

export function LimitsPanel({ config, mayWrite }: ConfigProps) {
  const { chat_id: agentId } = config;
  /** Unsaved edits; anything else keeps its current value. */
  const [written, setWritten] = useState<Partial<Limits>>({});
  const held = limitsOf(config);
  const { title, hours, budget } = { ...held, ...written };
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const saving = useMutation({
    mutationFn: (sent: Partial<Limits>) => {
      const limits = { ...held, ...sent };
      return saveConfig(agentId, {
        title: limits.title,
        eviction_hours: numberOr(limits.hours),
        model_budget_usd_per_day: numberOr(limits.budget),
      });
    },
    onSuccess: (saved, sent) => {
      queryClient.setQueryData(configQuery(agentId).queryKey, saved);
      setWritten((now) => (now === sent ? {} : now));
      toaster.say('Settings saved.');
    },
    onError: (error) => {
      if (!(error instanceof ApiError && error.issues.length > 0)) toaster.fail(error);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['monitoring'] }),
  });
  const issues = saving.error instanceof ApiError ? saving.error.issues : [];
  const issueAt = (name: string) => issues.find(({ path }) => path === name)?.message;
  const isChanged = title !== held.title || hours !== held.hours || budget !== held.budget;
  const write = (change: Partial<Limits>) => setWritten((now) => ({ ...now, ...change }));
  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    saving.mutate(written);
  };
  return (
    <Panel title="Name and limits">
      <form onSubmit={save} className="flex flex-col gap-4">
        <Field label="Title" error={issueAt('title')}>
          {(control) => (
            <Input
              {...control}
              disabled={!mayWrite}
              maxLength={100}
              value={title}
              onChange={(event) => write({ title: event.target.value })}
            />
          )}
        </Field>
        <Field
          label="Keep sessions for (hours)"
          hint="At most 8,760 (a year). Findings are kept longer."
          error={issueAt('eviction_hours')}
        >
          {(control) => (
            <Input
              {...control}
              disabled={!mayWrite}
              inputMode="numeric"
              className="max-w-40"
              value={hours}
              onChange={(event) => write({ hours: event.target.value })}
            />
          )}
        </Field>
        <Field
          label="Model budget (USD per day)"
          hint="For checks and reviews by a model. Once it is spent, these checks do not run. Investigations have their own limits."
          error={issueAt('model_budget_usd_per_day')}
        >
          {(control) => (
            <Input
              {...control}
              disabled={!mayWrite}
              inputMode="decimal"
              className="max-w-40"
              value={budget}
              onChange={(event) => write({ budget: event.target.value })}
            />
          )}
        </Field>
        {mayWrite && (
          <div>
            <Button type="submit" variant="primary" disabled={!isChanged || saving.isPending}>
              Save
            </Button>
          </div>
        )}
      </form>
    </Panel>
  );
}

/** A number; anything else is sent as typed, for the API to complain. */
const numberOr = (text: string): number => {
  const number = Number(text);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API refuses it
  return text.trim() !== '' && Number.isFinite(number) ? number : (text as unknown as number);
};
