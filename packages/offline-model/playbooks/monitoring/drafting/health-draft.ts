import { name } from '../../conversation/wording.ts';
import type { ListedSource } from '../../investigation/sources.ts';
import type { Wish } from '../reading/wish.ts';
import { historyFor, windowFor } from './conditions.ts';
import { periodFor, recorded, type Draft, type DraftContext, type Outcome } from './draft-types.ts';
import { logDraft } from './log-draft.ts';
import { sourceWith } from './telemetry.ts';

const LEAST_WINDOW = 10;
const LEAST_HISTORY = 30;
const MOST_SECONDS = 86_400;

/** The health of services, by all of their metrics; those of one source make one check. */
export function healthDrafts(context: DraftContext, wish: Wish): Outcome {
  const { telemetry } = context;
  const bySource = new Map<ListedSource, string[]>();
  const problems: string[] = [];
  for (const service of wish.services.length > 0 ? wish.services : [undefined]) {
    const source = sourceWith(telemetry, 'metrics', service);
    if (source) bySource.set(source, [...(bySource.get(source) ?? []), ...(service === undefined ? [] : [service])]);
    else if (sourceWith(telemetry, 'logs', service)) {
      const limit = {};
      const logs = { kind: 'logs' as const, level: 'error' as const, isNew: true, limit };
      const instead = logDraft(context, { ...wish, services: service === undefined ? [] : [service] }, logs);
      const note = 'There are no metrics to tell health from, so I watch for new kinds of errors in the logs instead.';
      for (const draft of instead.drafts) draft.notes.push(note);
      return instead;
    } else problems.push(`Nothing that I can read has metrics${service === undefined ? '' : ` of ${name(service)}`}.`);
  }
  const said = wish.subject.kind === 'health' ? wish.subject.compared : {};
  const window = within(LEAST_WINDOW, said.window ?? windowFor(periodFor(wish.settings)));
  const history = within(Math.max(LEAST_HISTORY, window), said.history ?? historyFor(window, MOST_SECONDS));
  const drafts = [...bySource].map(([source, services]): Draft => {
    const whose = services.length > 0 ? services.join(', ') : `all services of ${source.id}`;
    return {
      wish,
      title: `Health of ${whose}`,
      subject: {
        type: 'service_health',
        source: source.id,
        ...(services.length > 0 && { services }),
        window_seconds: window,
        history_seconds: history,
      },
      parts: services.length > 0 ? [...services.slice(0, 3), 'health'] : ['all', 'health'],
      notes: recorded(source),
    };
  });
  return { drafts, calls: [], problems };
}

const within = (least: number, seconds: number): number => Math.min(MOST_SECONDS, Math.max(least, Math.round(seconds)));
