import { z } from 'zod';
import { forTeam } from '../../../db/team-filter.ts';
import { shownStatus } from '../../runs/index.ts';
import { untilReachable } from '../../../db/reach.ts';
import {
  defineTool,
  errorOutput,
  isCitable,
  jsonOutput,
  type ToolContext,
  type ToolOutput,
} from '../../tools/index.ts';
import { evidenceReader } from '../../transcripts/index.ts';
import type { ReadInvestigationResult } from '../results.ts';
import {
  findInvestigation,
  investigationIdInput,
  unknownInvestigation,
  type InvestigationToolDeps,
} from './investigation.ts';

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
