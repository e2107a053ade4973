/** The team's ended investigations that are like another. */
import type { EntityManager } from '../../../db/orm.ts';
import { Investigation } from '../entities.ts';
import { likeness, type Likeness, type Traits } from './traits.ts';

/** How many of the newest are compared. */
const COMPARED = 1_000;

export interface SimilarInvestigation {
  row: Pick<Investigation, 'id' | 'createdAt' | 'alertSummary' | 'judgement' | 'traits'>;
  shares: Likeness[];
}

/**
 * Those that share most come first, among equals the newest.
 * @param em bound to the team
 * @param except the investigation itself
 */
export async function findSimilar(
  em: EntityManager,
  wanted: Traits,
  { except, limit }: { except?: string; limit: number },
): Promise<SimilarInvestigation[]> {
  const rows = await em.find(
    Investigation,
    { status: 'completed', traits: { $ne: null }, ...(except !== undefined && { id: { $ne: except } }) },
    {
      fields: ['id', 'teamId', 'createdAt', 'alertSummary', 'judgement', 'traits'],
      orderBy: { createdAt: 'desc', id: 'desc' },
      limit: COMPARED,
      disableIdentityMap: true,
    },
  );
  return rows
    .map((row) => ({ row, shares: row.traits ? likeness(wanted, row.traits) : [] }))
    .filter(({ shares }) => shares.length > 0)
    .toSorted((a, b) => b.shares.length - a.shares.length)
    .slice(0, limit);
}
