import { z } from 'zod';
import { forTeam } from '../../../db/team-filter.ts';
import { untilReachable } from '../../../db/reach.ts';
import { shownStatus } from '../../runs/index.ts';
import {
  count,
  defineTool,
  jsonOutput,
  oneLine,
  errorOutput,
  isCitable,
  type ToolContext,
  type ToolOutput,
} from '../../tools/index.ts';
import { evidenceReader } from '../../transcripts/index.ts';
import { investigationStatus } from '../schemas.ts';
import { listInvestigations as listRows } from '../service.ts';
import type { ListInvestigationsResult, ReadInvestigationResult } from './results.ts';
import {
  storableText,
  type InvestigationToolDeps,
  findInvestigation,
  investigationIdInput,
  unknownInvestigation,
} from './investigation.ts';

const QUERY_CHARACTERS = 300;

/** `list_investigations`: the team's earlier investigations, newest first. */
export const listInvestigations = (deps: InvestigationToolDeps) =>
  defineTool({
    name: 'list_investigations',
    description:
      "Lists the team's investigations, newest first: what was asked, the status and the finding in one line. With search only those whose question or finding contains the text.",
    requires: 'investigations:read',
    input: z.strictObject({
      search: storableText(200).optional().describe('Text to find in the question or the finding, in any case.'),
      status: investigationStatus.optional(),
      limit: z.number().int().min(1).max(20).default(10).describe('Most investigations to list, 10 by default.'),
    }),
    summarize: ({ search, status }) =>
      `List ${status ?? 'all'} investigations${search === undefined ? '' : ` about "${search}"`}`,
    async run({ search, status, limit }, { teamId, signal }) {
      const wanted = { page: 1, count: limit, status, search: search?.trim() };
      const { items, total } = await untilReachable(() => listRows(forTeam(deps.orm.em, teamId), wanted), signal);
      const result: ListInvestigationsResult = {
        investigations: items.map((row) => ({
          investigation_id: row.id,
          query: oneLine(row.query, QUERY_CHARACTERS),
          status: shownStatus(row.status),
          alert_summary: row.alertSummary,
          created_at: row.createdAt.toISOString(),
        })),
        total,
      };
      return jsonOutput(
        result,
        total > items.length ? `${items.length} of ${total} investigations` : count(total, 'investigation'),
      );
    },
  });

/** `read_investigation`: the report of an investigation, or one of the tool results behind it. */
export const readInvestigation = (deps: InvestigationToolDeps) =>
  defineTool({
    name: 'read_investigation',
    description:
      'Reads an investigation: its question, status, report and citations. With evidence it returns the whole tool result with that evidence number of the investigation, so that you can check and cite it. The [n] in a report are citations of that investigation: cite what you read here by its own evidence number.',
    requires: 'investigations:read',
    input: z.strictObject({
      investigation_id: investigationIdInput,
      evidence: z.number().int().min(1).max(1_000_000).optional().describe('An evidence number of that investigation.'),
    }),
    summarize: ({ investigation_id: id, evidence }) =>
      evidence === undefined ? `Read investigation ${id}` : `Read evidence ${evidence} of investigation ${id}`,
    async run({ investigation_id: id, evidence }, context) {
      const row = await findInvestigation(deps, context, id);
      if (!row) return unknownInvestigation(id);
      if (evidence !== undefined) return readEvidence(deps, context, id, evidence);
      const result: ReadInvestigationResult = {
        investigation_id: row.id,
        query: row.query,
        status: shownStatus(row.status),
        alert_summary: row.alertSummary,
        investigation_text: row.investigationText,
        created_at: row.createdAt.toISOString(),
        finished_at: row.finishedAt?.toISOString() ?? null,
        citations: (row.report?.citations ?? []).map(({ n, evidence: number, tool, excerpts }) => ({
          n,
          evidence: number,
          tool,
          excerpts: excerpts.flatMap(({ text, verified }) => (verified ? [text] : [])),
        })),
      };
      return jsonOutput(result, `${row.status}: ${row.alertSummary ?? row.query}`);
    },
  });

async function readEvidence(
  deps: InvestigationToolDeps,
  { teamId, signal }: ToolContext,
  id: string,
  evidence: number,
): Promise<ToolOutput> {
  const read = () => evidenceReader(forTeam(deps.orm.em, teamId), id).read(evidence);
  const stored = await untilReachable(read, signal);
  if (!stored) return errorOutput(`Investigation ${id} has no evidence ${evidence}.`);
  const { content, tool } = stored;
  // Read back, a model's own words would look like evidence.
  if (!isCitable(tool)) return errorOutput(`Evidence ${evidence} is a result of ${tool}; there is nothing to read.`);
  return { content, digest: `Evidence ${evidence} of investigation ${id}: ${tool}, ${content.length} characters` };
}
