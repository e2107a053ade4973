/** The list of investigations for people: searchable, each with its cost and result. */
import type { EntityManager } from '../../db/orm.ts';
import { WORD_QUERY_SQL } from '../../db/text-search.ts';
import { boundedSearch } from '../../http/bounded-search.ts';
import { isOpen, OPEN } from '../runs/index.ts';
import { Conversation, ModelTurn, ToolCall, Message } from '../transcripts/index.ts';
import type { InvestigationStatus, InvestigationTrigger } from './contract.ts';
import { Investigation } from './entities.ts';
import type { OUTCOMES } from './schemas.ts';
import { type InvestigationRow, getInvestigation } from './service.ts';
import type { DetailRows } from './presenter.ts';
import { readSuggestion, type StoredSuggestion } from './report/index.ts';

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

interface ListQuery extends Filter {
  /** 1-based. */
  page: number;
  count: number;
}

interface Filter {
  status?: InvestigationStatus;
  outcome?: (typeof OUTCOMES)[number];
  /** At fault, or with the symptom. */
  service?: string;
  /** Queried by the run. */
  source?: string;
  trigger?: InvestigationTrigger;
  /** 0 to 1. */
  minConfidence?: number;
  /** When it was opened, ISO 8601, half-open. */
  from?: string;
  to?: string;
  /** Words of the question or the finding. */
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
  { page, count, ...filter }: ListQuery,
): Promise<{ items: ListedInvestigation[]; total: number }> {
  const find = (tx: EntityManager) => findIds(tx, teamId, filter, { page, count });
  const { ids, total } =
    filter.search === undefined ? await find(em.fork()) : await boundedSearch(em, teamId, 'investigations', find);
  const items = await em.find(
    Investigation,
    { id: { $in: ids } },
    { orderBy: { createdAt: 'desc', id: 'desc' }, exclude: ['report', 'investigationText'] },
  );
  const facts = await factsOf(em, teamId, items);
  return { items: items.map((row) => present(row, facts.get(row.id))), total };
}

async function findIds(
  tx: EntityManager,
  teamId: string,
  filter: Filter,
  { page, count }: Pick<ListQuery, 'page' | 'count'>,
): Promise<{ ids: string[]; total: number }> {
  const conditions = [...conditionsOf(filter), ['r.team_id = ?', teamId] as const];
  const matching = `from investigations i join runs r on r.id = i.id where ${conditions.map(([sql]) => sql).join(' and ')}`;
  const values = conditions.flatMap(([, ...given]) => given);
  const hits = await tx.execute<{ id: string }[]>(
    `select i.id ${matching} order by r.created_at desc, i.id desc limit ? offset ?`,
    [...values, count, (page - 1) * count],
  );
  const [row] = await tx.execute<{ n: number }[]>(`select count(*)::int as n ${matching}`, values);
  return { ids: hits.map(({ id }) => id), total: row?.n ?? 0 };
}

type Condition = readonly [sql: string, ...values: unknown[]];

const WORDS_SQL = "to_tsvector('simple', i.query || ' ' || coalesce(i.alert_summary, ''))";

/** SQL for what is asked for, over `investigations i` and `runs r`. */
function conditionsOf(filter: Filter): Condition[] {
  const { status, outcome, service, source, trigger, minConfidence, from, to, search } = filter;
  const all: (Condition | undefined)[] = [
    search === undefined ? undefined : [`${WORDS_SQL} @@ (select ${WORD_QUERY_SQL})`, search],
    status && ['r.status = any(?)', `{${status === 'processing' ? OPEN.join(',') : status}}`],
    outcome && [
      `r.status = 'completed' and (i.report#>>'{root_cause,service}' is not null) = ?`,
      outcome === 'cause_found',
    ],
    service === undefined
      ? undefined
      : [
          `(? in (i.report#>>'{root_cause,service}', i.report#>>'{symptom,service}')
            or i.report is null and ${WORDS_SQL} @@ phraseto_tsquery('simple', ?))`,
          service,
          service,
        ],
    source === undefined
      ? undefined
      : [
          `exists (select 1 from jsonb_array_elements(i.coverage->'sources') s where s->>'source' = ? and (s->>'asked')::int > 0)`,
          source,
        ],
    trigger && ['i.trigger = ?', trigger],
    minConfidence === undefined
      ? undefined
      : [
          `i.report#>>'{root_cause,service}' is not null and (i.report->>'confidence')::double precision >= ?`,
          minConfidence,
        ],
    from === undefined ? undefined : ['r.created_at >= ?', new Date(from)],
    to === undefined ? undefined : ['r.created_at < ?', new Date(to)],
  ];
  return all.filter((one) => one !== undefined);
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
export async function loadDetail(
  em: EntityManager,
  id: string,
): Promise<Omit<DetailRows, 'progress' | 'pullRequests'>> {
  const investigation = await getInvestigation(em, id);
  const conversation = await em.findOneOrFail(Conversation, { id });
  const turns = await em.find(ModelTurn, { conversationId: id }, { orderBy: { step: 'asc' } });
  const toolCalls = await em.find(ToolCall, { conversationId: id }, { orderBy: { evidence: 'asc' } });
  const messages = await em.find(Message, { conversationId: id }, { orderBy: { createdAt: 'asc' } });
  const suggestion = await suggestionOf(em, investigation);
  return { investigation, conversation, turns, toolCalls, messages, ...(suggestion && { suggestion }) };
}

/** The change that the report recommends as a pull request. */
async function suggestionOf(em: EntityManager, { report }: Investigation): Promise<StoredSuggestion | undefined> {
  const { toolCallId: id } = report?.recommendedPr ?? {};
  if (id === undefined) return undefined;
  const call = await em.findOne(ToolCall, { id }, { populate: ['content'], disableIdentityMap: true });
  return call ? readSuggestion({ tool: call.name, content: call.content ?? '' }) : undefined;
}
