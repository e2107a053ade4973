import { z } from 'zod';
import { forTeam } from '../../../db/team-filter.ts';
import { untilReachable } from '../../runs/index.ts';
import { errorOutput, type ToolContext, type ToolOutput } from '../../tools/index.ts';
import { Investigation } from '../entities.ts';
import type { InvestigationServiceDeps } from '../service.ts';

export interface InvestigationToolDeps extends InvestigationServiceDeps {}

/** Text that PostgreSQL can store and search for. */
export const storableText = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/\S/, 'Value must not be blank')
    .refine((text) => !text.includes('\0'), 'Value must not contain NUL');

export const investigationIdInput = z.guid().describe('The id of an investigation.');

/** The team's investigation, waiting if the database is away. */
export async function findInvestigation(
  deps: InvestigationToolDeps,
  { teamId, signal }: ToolContext,
  id: string,
): Promise<Investigation | null> {
  return untilReachable(() => forTeam(deps.orm.em, teamId).findOne(Investigation, { id }), signal);
}

export function unknownInvestigation(id: string): ToolOutput {
  return errorOutput(`There is no investigation ${id}. list_investigations shows which there are.`);
}
