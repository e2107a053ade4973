import { SPANS, type Since } from './time-filter.ts';
import { SelectFilter, type SelectFilterProps } from './ui/select-filter.tsx';

/** Chooses a span of time up to now. */
export const SinceFilter = (props: Omit<SelectFilterProps<Since>, 'options' | 'all'>) => (
  <SelectFilter {...props} options={SPANS} all="Any time" />
);
