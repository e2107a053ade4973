/** The text of a pull request at its host. */
import type { EntityManager } from '../../db/orm.ts';
import { codeSpan, Investigation, safeBlock, safeInline } from '../investigations/index.ts';
import { oneLine } from '../tools/index.ts';
import { ToolCall } from '../transcripts/index.ts';
import type { PullRequest } from './entities.ts';
import { evidenceUrl, originUrl } from './links.ts';
import { quiet } from './quiet.ts';

const MAX_CITED = 20;
const MAX_EXCERPT = 200;

/** By what a pull request of ours is recognized at its host, besides its branch. */
export const markerOf = ({ key }: Pick<PullRequest, 'key'>): string => `<!-- casebook:${key} -->`;

/** What a body is composed from. */
export interface BodyInput {
  row: Pick<PullRequest, 'key' | 'body' | 'origin' | 'createdInConversationId' | 'toolCallId'>;
  appUrl: string;
  /** Tool calls of the conversation, by evidence number. */
  calls: ReadonlyMap<number, { id: string; name: string }>;
  /** Of the investigation that recommends it, once it has one. */
  report?: {
    title: string;
    rootCause: string;
    citations: readonly { n: number; evidence: number; excerpts: readonly { text: string; verified: boolean }[] }[];
  };
}

/** Composes the body: what the proposal says, the evidence with links into the web app, and the marker. Pure. */
export function composeBody({ row, appUrl, calls, report }: BodyInput): string {
  const link = (n: number, evidence: number): string => {
    const call = calls.get(evidence);
    return call ? `[[${n}]](${evidenceUrl(appUrl, row, call.id)})` : `[${n}]`;
  };
  const linked = (text: string, evidenceOf: (n: number) => number): string =>
    text.replaceAll(/\[(\d{1,4})\]/gu, (_, n: string) => link(Number(n), evidenceOf(Number(n))));
  const byNumber = new Map(report?.citations.map((citation) => [citation.n, citation.evidence]));
  const cited = (text: string): string => linked(text, (n) => byNumber.get(n) ?? 0);
  const where = originUrl(appUrl, row);
  return [
    linked(safeBlock(quiet(row.body)), (n) => n),
    report && `### Root cause\n\n${cited(safeBlock(quiet(report.rootCause)))}`,
    report && evidenceList(report.citations, calls, link),
    row.origin === 'investigation'
      ? `Recommended by the investigation [${report ? quiet(safeInline(report.title)).replaceAll(/[[\]]/gu, String.raw`\$&`) : 'in Casebook'}](${where}).`
      : `Suggested in a [chat in Casebook](${where}).`,
    markerOf(row),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function evidenceList(
  citations: NonNullable<BodyInput['report']>['citations'],
  calls: BodyInput['calls'],
  link: (n: number, evidence: number) => string,
): string {
  const lines = citations
    .filter(({ excerpts }) => excerpts.some(({ verified }) => verified))
    .slice(0, MAX_CITED)
    .map(({ n, evidence, excerpts }) => {
      const excerpt = excerpts.find(({ verified }) => verified)?.text ?? '';
      const tool = calls.get(evidence)?.name ?? 'a tool';
      return `- ${link(n, evidence)} ${codeSpan(tool)}: ${codeSpan(oneLine(excerpt, MAX_EXCERPT))}`;
    });
  return lines.length === 0 ? '' : `### Evidence\n\n${lines.join('\n')}`;
}

/** {@link composeBody} from the rows. @param em bound to the team */
export async function bodyOf(em: EntityManager, row: PullRequest, appUrl: string): Promise<string> {
  const { createdInConversationId: conversationId, origin } = row;
  const calls = await em.find(ToolCall, { conversationId }, { fields: ['id', 'evidence', 'name'] });
  const investigation = origin === 'investigation' ? await em.findOne(Investigation, { id: conversationId }) : null;
  const { report } = investigation ?? {};
  return composeBody({
    row,
    appUrl,
    calls: new Map(calls.map(({ evidence, id, name }) => [evidence, { id, name }])),
    ...(report && {
      report: { title: report.title, rootCause: report.root_cause.statement, citations: report.citations },
    }),
  });
}
