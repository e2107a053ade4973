/** Unsaved edits of a plan, kept through reloads and signing in again like other drafts. */
import { keepDraft, readDraft } from '../../../app/draft.ts';
import { draftOf, planIn, type PlanDraft } from './draft.ts';
import { isObject } from './json.ts';

export interface KeptPlan {
  /** The version being edited. */
  version: number;
  base: PlanDraft;
  draft: PlanDraft;
}

const keyOf = (agentId: string): string => `plan.${agentId}`;

export function readKeptPlan(agentId: string): KeptPlan | undefined {
  const text = readDraft(keyOf(agentId));
  const kept: unknown = text === '' ? undefined : JSON.parse(text);
  if (!isObject(kept) || typeof kept['version'] !== 'number') return undefined;
  const base = draftOf(kept['base']);
  return { version: kept['version'], base, draft: draftOf(kept['plan'], base) };
}

export function keepPlan(agentId: string, { version, base, draft }: KeptPlan): void {
  keepDraft(keyOf(agentId), JSON.stringify({ version, base: planIn(base), plan: planIn(draft) }));
}

export const forgetKeptPlan = (agentId: string): void => keepDraft(keyOf(agentId), '');
