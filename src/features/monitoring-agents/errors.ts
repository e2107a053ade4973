import { Conflict, NotFound } from '../../http/errors.ts';

export const agentNotFound = (): NotFound => new NotFound('Monitoring agent not found.');

/** The plan changed after the caller read it. */
export const planVersionConflict = (current: number): Conflict =>
  new Conflict(`The plan has changed: its version is now ${current}.`, 'plan_version_conflict', {
    fields: { plan_version: current },
  });

export const agentIsPaused = (): Conflict =>
  new Conflict('The agent is paused. Resume it first.', 'monitoring_agent_paused');

export const nothingToCheck = (): Conflict =>
  new Conflict('The plan of the agent has no enabled check.', 'monitoring_plan_empty');

export const noSuchFinding = (): NotFound => new NotFound('Finding not found.');
