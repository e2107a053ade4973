import { useQuery } from '@tanstack/react-query';
import { sourcesQuery } from '../../components/connect-source.tsx';
import { SinceFilter } from '../../components/since-filter.tsx';
import { Button } from '../../components/ui/button.tsx';
import { SelectFilter } from '../../components/ui/select-filter.tsx';
import { TextFilter } from '../../components/ui/text-filter.tsx';
import { CONFIDENCES, countMore, TRIGGERS, type ListFilter } from './list-filter.ts';

/** @param onFilter receives what changed */
export function MoreFilters({ filter, onFilter }: { filter: ListFilter; onFilter: (change: ListFilter) => void }) {
  const { data } = useQuery(sourcesQuery);
  const { service, source, trigger, confidence, since } = filter;
  const sources = data?.sources.map(({ id, title }) => ({ value: id, title })) ?? [];
  // Its telemetry may have been disconnected since.
  const isKnown = source === undefined || sources.some(({ value }) => value === source);
  const active = countMore(filter);
  const none = { service: undefined, source: undefined, trigger: undefined, confidence: undefined, since: undefined };
  return (
    <details open={active > 0} className="mb-3 text-sm">
      <summary className="w-fit text-ink-soft hover:text-ink">
        More filters{active > 0 && ` (${active} active)`}
      </summary>
      <div className="mt-2 flex flex-wrap items-end gap-3">
        <TextFilter label="Service" value={service} onFilter={(to) => onFilter({ service: to })} />
        <SelectFilter
          label="Source"
          value={source}
          options={isKnown ? sources : [...sources, { value: source, title: source }]}
          onFilter={(to) => onFilter({ source: to })}
        />
        <SelectFilter
          label="Opened by"
          value={trigger}
          options={TRIGGERS}
          onFilter={(to) => onFilter({ trigger: to })}
          all="Any"
        />
        <SelectFilter
          label="Confidence"
          value={confidence?.toString()}
          options={CONFIDENCES.map((percent) => ({ value: `${percent}`, title: `${percent} % or higher` }))}
          onFilter={(to) => onFilter({ confidence: CONFIDENCES.find((percent) => `${percent}` === to) })}
          all="Any"
        />
        <SinceFilter label="Started" value={since} onFilter={(to) => onFilter({ since: to })} />
        {active > 0 && (
          <Button type="button" onClick={() => onFilter(none)}>
            Clear filters
          </Button>
        )}
      </div>
    </details>
  );
}
