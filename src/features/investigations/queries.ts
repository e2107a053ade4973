/** The list of investigations for people: searchable, each with its cost and result. */
import type { EntityManager } from '../../db/orm.ts';
import { WORD_QUERY_SQL } from '../../db/text-search.ts';
import { boundedSearch } from '../../http/bounded-search.ts';
import { isOpen, OPEN } from '../runs/index.ts';
import { Conversation, ModelTurn, ToolCall, Message } from '../transcripts/index.ts';
import type { InvestigationStatus } from './contract.ts';
import { Investigation } from './entities.ts';
import { listInvestigations, type InvestigationPage, type InvestigationRow, getInvestigation } from './service.ts';
import type { DetailRows } from './presenter.ts';

interface Facts {
  id: string;
  cost: number | null;
  model: string | null;
  steps: number;
  tool_calls: number;
  doing: string | null;
  confidence: number | null;
  root_cause_service: string | null;
}

/** An investigation with what a list shows about it. */
export interface ListedInvestigation {
  row: InvestigationRow;
  /** US dollars so far. */
  cost: number;
  /** The model that answered last. */
  model: string | null;
  /** Model turns so far. */
  steps: number;
  toolCalls: number;
  /** The tool call in progress. */
  doing: string | null;
  confidence: number | null;
  rootCauseService: string | null;
}

interface ListQuery {
  /** 1-based. */
  page: number;
  count: number;
  status?: InvestigationStatus;
  search?: string;
}

/**
 * The team's investigations, newest first.
 * @param em bound to the team
 * @throws {TooManyRequests} if too many of the team's searches are running, {@link DependencyDown} if the search takes
 *   too long
 */
export async function listWithFacts(
  em: EntityManager,
  teamId: string,
  { search, ...wanted }: ListQuery,
): Promise<{ items: ListedInvestigation[]; total: number }> {
  const { items, total } =
    search === undefined
      ? await listInvestigations(em, wanted)
      : await searchInvestigations(em, teamId, { ...wanted, words: search });
  const facts = await factsOf(em, teamId, items);
  return { items: items.map((row) => present(row, facts.get(row.id))), total };
}

async function searchInvestigations(
  em: EntityManager,
  teamId: string,
  { words, status, page, count }: Omit<ListQuery, 'search'> & { words: string },
): Promise<InvestigationPage> {
  const matching = `from investigations i join runs r on r.id = i.id, (select ${WORD_QUERY_SQL} as q) as wanted
    where to_tsvector('simple', query || ' ' || coalesce(alert_summary, '')) @@ wanted.q
      and r.team_id = ?${status ? ' and r.status = any(?)' : ''}`;
  const values = [words, teamId, ...(status ? [`{${status === 'processing' ? OPEN.join(',') : status}}`] : [])];
  const { hits, total } = await boundedSearch(em, teamId, 'investigations', async (tx) => ({
    hits: await tx.execute<{ id: string }[]>(
      `select i.id ${matching} order by r.created_at desc, i.id desc limit ? offset ?`,
      [...values, count, (page - 1) * count],
    ),
    total: await tx.execute<{ n: number }[]>(`select count(*)::int as n ${matching}`, values),
  }));
  const items = await em.find(
    Investigation,
    { id: { $in: hits.map(({ id }) => id) } },
    { orderBy: { createdAt: 'desc', id: 'desc' }, exclude: ['report', 'investigationText'] },
  );
  return { items, total: total[0]?.n ?? 0 };
}

/** One statement for a whole page; reports and results stay in the database. */
async function factsOf(em: EntityManager, teamId: string, rows: readonly InvestigationRow[]) {
  if (rows.length === 0) return new Map<string, Facts>();
  const facts = await em.fork().execute<Facts[]>(
    `select i.id, t.cost, t.model, t.steps, c.tool_calls, c.doing,
            (i.report->>'confidence')::double precision as confidence,
            i.report#>>'{root_cause,service}' as root_cause_service
       from investigations i join runs r on r.id = i.id
       cross join lateral (
         select sum(cost_usd) as cost, count(*)::int as steps, (array_agg(model order by step desc))[1] as model
           from model_turns where conversation_id = i.id) t
       cross join lateral (
         select count(*)::int as tool_calls,
                (array_agg(summary order by evidence desc) filter (where status = 'pending'))[1] as doing
           from tool_calls where conversation_id = i.id) c
      where r.team_id = ? and i.id = any(?::uuid[])`,
    [teamId, `{${rows.map(({ id }) => id).join(',')}}`],
  );
  return new Map(facts.map((one) => [one.id, one]));
}

function present(row: InvestigationRow, facts: Facts | undefined): ListedInvestigation {
  return {
    row,
    cost: facts?.cost ?? 0,
    model: facts?.model ?? null,
    steps: facts?.steps ?? 0,
    toolCalls: facts?.tool_calls ?? 0,
    doing: isOpen(row.status) ? (facts?.doing ?? null) : null,
    confidence: facts?.confidence ?? null,
    rootCauseService: facts?.root_cause_service ?? null,
  };
}

/** Everything about one investigation except whole tool results. @throws {NotFound} */
export async function loadDetail(em: EntityManager, id: string): Promise<Omit<DetailRows, 'progress'>> {
  const investigation = await getInvestigation(em, id);
  const conversation = await em.findOneOrFail(Conversation, { id });
  const turns = await em.find(ModelTurn, { conversationId: id }, { orderBy: { step: 'asc' } });
  const toolCalls = await em.find(ToolCall, { conversationId: id }, { orderBy: { evidence: 'asc' } });
  const messages = await em.find(Message, { conversationId: id }, { orderBy: { createdAt: 'asc' } });
  return { investigation, conversation, turns, toolCalls, messages };
}
