/** From wishes to the checks of a plan, with what must still be asked to write them. */
import type { Reading, Wish } from '../reading/wish.ts';
import { dependencyDraft } from './dependency-draft.ts';
import { only, settingsFor, type DraftContext, type Outcome } from './draft-types.ts';
import { healthDrafts } from './health-draft.ts';
import { logDraft } from './log-draft.ts';
import { metricDrafts } from './metric-draft.ts';

const MOST_DRAFTS = 25;

/** Every wish as checks. */
export function draftAll(context: DraftContext, { wishes, settings }: Reading): Outcome {
  const outcome: Outcome = { drafts: [], calls: [], problems: [] };
  for (const wish of wishes) {
    const joined = { ...wish, settings: settingsFor(wish, settings) };
    const { drafts, calls, problems } = draftOne(context, joined);
    outcome.drafts.push(...drafts);
    outcome.calls.push(...calls);
    outcome.problems.push(...problems);
  }
  if (outcome.drafts.length > MOST_DRAFTS) {
    outcome.problems.push(`That is ${outcome.drafts.length} checks at once; I write the first ${MOST_DRAFTS}.`);
  }
  return { ...outcome, drafts: outcome.drafts.slice(0, MOST_DRAFTS) };
}

function draftOne(context: DraftContext, wish: Wish): Outcome {
  const { subject } = wish;
  switch (subject.kind) {
    case 'metric':
    case 'named metric':
    case 'promql':
      return metricDrafts(context, wish, subject);
    case 'logs':
      return logDraft(context, wish, subject);
    case 'dependency':
      return dependencyDraft(context, wish, subject);
    case 'health':
      return healthDrafts(context, wish);
    default:
      return only({
        wish,
        title: subject.instruction,
        subject: { type: 'instruction', instruction: subject.instruction },
        parts: [subject.instruction],
        notes: [],
      });
  }
}
