import type { EntityManager, Orm } from '../../db/orm.ts';
import { anyTeam } from '../../db/team-filter.ts';
import type { Logger } from '../../platform/logger.ts';
import { CitationExtraction } from './entities.ts';
import type { ExcerptMatcher } from './excerpt-matcher.ts';
import type { ExcerptChooser } from './launch.ts';
import type { Claim } from './matcher/claims.ts';
import type { CandidateBounds, ExcerptQuery } from './matcher/find-excerpts.ts';

/** What a model chooses from, unless its answer would be useless. */
const CANDIDATES: CandidateBounds = { most: 40, characters: 24_000 };
const NO_CANDIDATES: CandidateBounds = { most: 0, characters: 0 };
/** How long a caller waits for a model's choice. */
const CHOICE_MS = 30_000;

export interface CitationServiceDeps {
  matcher: ExcerptMatcher;
  /** Absent without a model key; then only the matcher answers. */
  chooser?: ExcerptChooser;
  /** How long a caller waits for a model's choice, ms; half a minute by default. */
  choiceMs?: number;
}

interface ExtractionRequest {
  teamId: string;
  query: ExcerptQuery;
  /** Bound to the team; read only if a model chooses. */
  em: () => EntityManager;
  /** Aborted when the caller goes away. */
  signal: AbortSignal;
  log: Logger;
}

/**
 * The excerpts of a tool result that support a citation. A model chooses among the matcher's candidates; if it is
 * unavailable, too slow, or names nothing in the result, the matcher's own answer stands.
 * @returns verbatim substrings of the content
 * @throws {DependencyDown} if the result could not be searched in time
 */
export async function extractExcerpts(
  { matcher, chooser, choiceMs = CHOICE_MS }: CitationServiceDeps,
  { teamId, query, em: manager, signal, log }: ExtractionRequest,
): Promise<string[]> {
  const bounds = chooser ? CANDIDATES : NO_CANDIDATES;
  const { excerpts, candidates, claims } = await matcher.match(teamId, query, bounds, signal);
  if (!chooser || candidates.length === 0) return excerpts;
  try {
    const em = manager();
    const extractionId = await store(em, teamId, claims, candidates);
    await chooser.choose({ extractionId, teamId }, AbortSignal.any([signal, AbortSignal.timeout(choiceMs)]));
    const chosen = await em.fork().findOne(CitationExtraction, { id: extractionId });
    if (!chosen?.excerpts) return excerpts;
    const found = chosen.excerpts.filter((excerpt) => query.content.includes(excerpt));
    return found.length === 0 && chosen.excerpts.length > 0 ? excerpts : found;
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error }, 'no model chose excerpts; the matcher’s own are returned');
    return excerpts;
  }
}

async function store(em: EntityManager, teamId: string, claims: Claim[], candidates: string[]): Promise<string> {
  const { id } = em.create(CitationExtraction, {
    teamId,
    claims: claims.map(({ statement, context }) => ({
      statement: statement.toWellFormed(),
      context: context.toWellFormed(),
    })),
    candidates,
    excerpts: null,
  });
  await em.flush();
  return id;
}

/** Deletes all teams' extractions made before a time. @returns how many */
export function purgeExtractions(orm: Orm, before: Date): Promise<number> {
  return orm.em.fork().nativeDelete(CitationExtraction, { createdAt: { $lt: before } }, anyTeam);
}
