import type { EntityManager } from '../../../db/orm.ts';
import { HttpError } from '../../../http/errors.ts';
import { reaching } from '../../../db/reach.ts';
import { errorOutput, type LoadTeamTools, type ToolContext, type ToolOutput } from '../../tools/index.ts';
import type { MonitoringServiceDeps } from '../service.ts';

/** The scope for changing what an agent watches. */
export const WRITE = 'monitoring:write';

/** Dependencies of the tools of an agent's chat. */
export interface MonitoringToolDeps extends MonitoringServiceDeps {
  /** The team's own tools, served by its satellites. */
  teamTools: LoadTeamTools;
}

/**
 * Acts on the agent whose chat it is, waiting while the database is down. The service's refusals become results that
 * the model can act on.
 */
export async function forAgent(
  deps: MonitoringToolDeps,
  context: ToolContext,
  work: (em: EntityManager, agentId: string) => Promise<ToolOutput>,
): Promise<ToolOutput> {
  const { conversationId } = context;
  try {
    return await reaching(deps, context, context)((em) => work(em, conversationId));
  } catch (error) {
    if (error instanceof HttpError && error.status < 500) return errorOutput(error.message, error.fields);
    throw error;
  }
}
