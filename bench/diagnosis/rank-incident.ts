import { createSourceCatalog } from '../../src/features/sources/index.ts';
import { createToolRegistry, sharedTools, type RankRootCausesResult } from '../../src/features/tools/index.ts';
import { systemClock } from '../../src/platform/clock.ts';

/** The answer of `rank_root_causes` on one recorded incident, with nothing but what the recording says of its alert. */
export async function rankIncident(
  incidentsDir: string,
  folder: string,
  signal: AbortSignal,
): Promise<RankRootCausesResult> {
  const { content } = await createToolRegistry(sharedTools).invoke(
    'rank_root_causes',
    { source: `incident:${folder}`, limit: 30 },
    {
      conversationId: 'bench',
      teamId: 'bench',
      actor: { teamId: 'bench', scopes: [] },
      sources: createSourceCatalog({ incidentsDir }),
      runId: 'bench',
      toolCallId: 'bench',
      evidence: { read: async () => undefined, readById: async () => undefined },
      clock: systemClock,
      signal,
    },
  );
  const result = JSON.parse(String(content)) as RankRootCausesResult | { causes?: undefined };
  if (!result.causes) throw new Error(`rank_root_causes failed on ${folder}: ${String(content)}`);
  return result;
}
