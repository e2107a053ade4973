/**
 * Repairs what a crash between two systems leaves behind: changes that Temporal did not hear of, and lost workflows.
 */
import { raw, type FilterQuery } from '@mikro-orm/core';
import { anyTeam, forTeam } from '../../../db/team-filter.ts';
import type { Clock } from '../../../platform/clock.ts';
import { repairEach } from '../../runs/index.ts';
import { Finding } from '../entities.ts';
import { notifyFindings, type FindingNotifier } from './launch.ts';

interface FindingSweepDeps extends FindingNotifier {
  clock: Clock;
}

export interface FindingSweepOptions {
  /** How long a change may wait for delivery before the sweeper sends it again, ms. */
  graceMs: number;
  /** How long a finding may go without a change before the sweeper asks Temporal for its workflow, ms. */
  silenceMs: number;
  /** Maximum findings of each sort per sweep. */
  batch: number;
}

const defaults: FindingSweepOptions = { graceMs: 3_000, silenceMs: 60_000, batch: 100 };

/** One sweep over the findings of all teams. Every repair is idempotent: several workers may sweep at once. @returns how many it acted on */
export async function sweepFindings(
  deps: FindingSweepDeps,
  options: Partial<FindingSweepOptions> = {},
): Promise<number> {
  const { graceMs, silenceMs, batch } = { ...defaults, ...options };
  const now = deps.clock.now().getTime();
  const ago = (ms: number): Date => new Date(now - ms);
  const repair = async (where: FilterQuery<Finding>, work: (finding: Finding) => Promise<void>): Promise<number> => {
    const em = deps.orm.em.fork();
    const found = await em.find(Finding, where, { ...anyTeam, limit: batch, orderBy: { updatedAt: 'asc' } });
    return repairEach(found, work, {
      log: deps.log,
      message: 'could not repair a finding',
      facts: ({ id: findingId }) => ({ findingId }),
    });
  };
  const pending = await repair(
    { status: { $ne: 'pending' }, updatedAt: { $lt: ago(graceMs) }, signalledRevision: { $lt: raw('revision') } },
    (finding) => notifyFindings(deps, [finding]),
  );
  const silent = await repair(
    { status: { $in: ['open', 'resolved'] }, updatedAt: { $lt: ago(silenceMs) } },
    async (finding) => {
      await touch(deps, finding);
      if ((await deps.launcher.state(finding.id)) === 'running') return;
      deps.log.warn({ findingId: finding.id }, 'the workflow of a finding is missing; starting it again');
      await notifyFindings(deps, [finding]);
    },
  );
  return pending + silent;
}

/** Records that the sweep handled a finding, so that the next one begins with others. */
async function touch({ orm, clock }: FindingSweepDeps, { id, teamId }: Finding): Promise<void> {
  await forTeam(orm.em, teamId).nativeUpdate(Finding, { id }, { updatedAt: clock.now() });
}
