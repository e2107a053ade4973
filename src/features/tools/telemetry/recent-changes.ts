import { z } from 'zod';
import type { SourceDescription, TimeWindow } from '../../sources/port.ts';
import type { RecentChangesResult } from '../results.ts';
import { clip, count } from '../text.ts';
import { toIso, toIsoWindow } from '../time.ts';
import { limitField, serviceField, sourceField, windowFields, defineSourceTool } from './source-tool.ts';
import { alertFor, resolveWindow } from './window.ts';

const DAY = 24 * 60 * 60;

/** `recent_changes`: what people did to the system. */
export const recentChanges = defineSourceTool({
  name: 'recent_changes',
  description:
    'Lists deploys, configuration, flag and scaling changes in a window, newest first. The default window begins a day before the alert (or now), because causes come before symptoms. That a change came shortly before is no proof that it is the cause: compare its service and time with the onset.',
  input: z.strictObject({
    source: sourceField,
    service: serviceField.optional().describe('Only changes of this service. Default: all.'),
    from: windowFields.from.describe('Start of the window, ISO 8601 or unix seconds. Default: a day before the alert.'),
    to: windowFields.to,
    limit: limitField(50, 200, 'changes'),
  }),
  needs: { capability: 'changes', method: 'changes' },
  summarize: ({ service, source }) => `Recent changes of ${service ?? source}`,
  async answer(input, source, { clock, signal }) {
    const description = await source.describe({ signal });
    const window = changeWindow(input, description, clock.now().getTime() / 1000);
    const found = await source.changes({ service: input.service, ...window }, { signal });
    const changes = found.toSorted((a, b) => b.at - a.at).slice(0, input.limit);
    const result: RecentChangesResult = {
      source: input.source,
      window: toIsoWindow(window),
      changes: changes.map((change) => ({ ...change, at: toIso(change.at), summary: clip(change.summary, 1_000) })),
      truncated: found.length > changes.length,
    };
    return { result, digest: count(found.length, 'change') };
  },
});

function changeWindow(input: { from?: number; to?: number }, description: SourceDescription, now: number): TimeWindow {
  const ends = resolveWindow({ to: input.to, from: input.from }, description, now);
  if (input.from !== undefined) return ends;
  const reference = input.to ?? alertFor(description)?.at ?? ends.to;
  return { from: reference - DAY, to: ends.to };
}
