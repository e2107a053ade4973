import { z } from 'zod';
import { reaching } from '../../../db/reach.ts';
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
  context: ToolContext,
  id: string,
): Promise<Investigation | null> {
  return reaching(deps, context, context)((em) => em.findOne(Investigation, { id }));
}

export function unknownInvestigation(id: string): ToolOutput {
  return errorOutput(`There is no investigation ${id}. list_investigations shows which there are.`);
}
