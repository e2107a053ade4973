/** Temporal's cost of a day of monitoring, extrapolated from shorter histories. Pure. */
import { bytesOf } from './history-chain.ts';
import { actionsIn, rhythmOf, sumOf, type Actions, type HistoryEvent } from './history-actions.ts';

/** An amount of each. */
export interface Cost {
  events: number;
  actions: number;
  bytes: number;
}

export interface Watching {
  /** Per round: one call of the checking activity. */
  round: Cost;
  /** Per round, by kind. */
  actions: Actions;
  /** Besides its rounds, of a history that is continued as new; nothing where none was. */
  history: Cost;
}

const costOf = (events: readonly HistoryEvent[]): Cost => ({
  events: events.length,
  actions: sumOf(actionsIn(events)),
  bytes: bytesOf(events),
});

const combined = (a: Cost, b: Cost, factor: number): Cost => ({
  events: a.events + b.events * factor,
  actions: a.actions + b.actions * factor,
  bytes: a.bytes + b.bytes * factor,
});

const NOTHING: Cost = { events: 0, actions: 0, bytes: 0 };
const scaled = (cost: Cost, factor: number): Cost => combined(NOTHING, cost, factor);

/**
 * @param histories each with three calls of the activity at least
 * @param activity that checks
 */
export function watchingOf(
  histories: readonly { events: readonly HistoryEvent[]; isContinued: boolean }[],
  activity: string,
): Watching {
  const rhythms = histories.map(({ events }) => rhythmOf(events, activity));
  const rounds = rhythms.reduce((sum, rhythm) => sum + rhythm.rounds, 0);
  const inRounds = rhythms.flatMap(({ events }) => [...events]);
  const round = scaled(costOf(inRounds), 1 / rounds);
  const closed = histories.filter(({ isContinued }) => isContinued);
  const besides = closed.map(({ events }) => combined(costOf(events), round, -rhythmOf(events, activity).calls));
  const history = scaled(
    besides.reduce((sum, one) => combined(sum, one, 1), NOTHING),
    1 / Math.max(1, besides.length),
  );
  const perRound = Object.entries(actionsIn(inRounds)).map(([kind, count]: [string, number]) => [kind, count / rounds]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same members with other numbers
  return { round, history, actions: Object.fromEntries(perRound) as Actions };
}

/** So many rounds, with a new history as soon as one has so many events. */
export function costOfDay({ round, history }: Watching, rounds: number, eventsPerHistory: number): Cost {
  const roundsEach = Math.max(1, Math.ceil((eventsPerHistory - history.events) / round.events));
  return combined(scaled(round, rounds), history, rounds / roundsEach);
}
