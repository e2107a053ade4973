/** The history of a plan. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Field, Select } from '../../../components/ui/field.tsx';
import { Pager } from '../../../components/ui/pager.tsx';
import { Panel } from '../../../components/ui/panel.tsx';
import { Failed, Loading } from '../../../components/ui/states.tsx';
import { Time } from '../../../components/ui/time.tsx';
import { versionsQuery, type PlanVersion } from '../queries.ts';
import { AUTHORS } from './authors.ts';
import { DifferenceView } from './difference-view.tsx';

export function Versions({ agentId }: { agentId: string }) {
  const [page, setPage] = useState(1);
  const [opened, setOpened] = useState<PlanVersion>();
  const { data, isPending, isError, error, refetch } = useQuery(versionsQuery(agentId, page));
  return (
    <Panel title="Versions">
      {isPending && <Loading />}
      {isError && <Failed error={error} onRetry={() => void refetch()} />}
      <ol className="divide-y">
        {data?.versions.map((version) => (
          <li key={version.version} className="flex flex-wrap items-start gap-x-3 gap-y-1 py-2.5 first:pt-0 last:pb-0">
            <div className="min-w-0 flex-1 basis-60">
              <p className="text-sm text-ink-soft">
                <span className="font-medium text-ink">Version {version.version}</span> · {AUTHORS[version.changed_by]}{' '}
                · <Time at={version.changed_at} />
              </p>
              <p className="line-clamp-3 break-words">{version.reason}</p>
            </div>
            <Button size="small" onClick={() => setOpened(version)}>
              Changes<span className="sr-only"> in version {version.version}</span>
            </Button>
          </li>
        ))}
      </ol>
      {data && <Pager page={page} hasMore={page * data.count < data.total} onPage={setPage} />}
      {opened && data && <Compare opened={opened} versions={data.versions} onClose={() => setOpened(undefined)} />}
    </Panel>
  );
}

interface CompareProps {
  opened: PlanVersion;
  versions: readonly PlanVersion[];
  onClose: () => void;
}

const NOTHING = { summary: '', checks: [] };

/** Two versions side by side; initially the opened one and its predecessor. */
function Compare({ opened, versions, onClose }: CompareProps) {
  const [to, setTo] = useState(opened.version);
  const [from, setFrom] = useState(opened.version - 1);
  const planOf = (number: number) => versions.find(({ version }) => version === number)?.plan ?? NOTHING;
  const choices = [...versions.map(({ version }) => version), ...(versions.at(-1)?.version === 1 ? [0] : [])];
  const name = (version: number) => (version === 0 ? 'Empty plan' : `Version ${version}`);
  // The predecessor of this page's oldest version is on the next page.
  const isMissing = !choices.includes(from);
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      placement="side"
      title="Compare versions"
    >
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap gap-3">
          {(
            [
              ['From', from, setFrom],
              ['To', to, setTo],
            ] as const
          ).map(([label, value, choose]) => (
            <Field key={label} label={label} className="min-w-36">
              {(control) => (
                <Select {...control} value={value} onChange={(event) => choose(Number(event.target.value))}>
                  {!choices.includes(value) && <option value={value}>{name(value)}</option>}
                  {choices.map((version) => (
                    <option key={version} value={version}>
                      {name(version)}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
          ))}
        </div>
        {isMissing ? (
          <p className="text-ink-soft">Version {from} is on the next page. Choose another version.</p>
        ) : (
          <DifferenceView before={planOf(from)} after={planOf(to)} />
        )}
      </div>
    </Dialog>
  );
}
