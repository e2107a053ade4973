/** Renders the report for people. */
import type { RunLimit } from '../../runs/contract.ts';
import { verifiedNumbers } from './check.ts';
import { isRecorded } from '../../sources/index.ts';
import { describeLimit } from './limits.ts';
import { codeSpan, fenced, safeBlock, safeInline } from './safe-markdown.ts';
import type { CheckedCitation, CheckedReport, ConfidenceBasis, Hypothesis } from './schema.ts';
import type { StoredSuggestion } from './suggestion.ts';
import { mapCitations } from './text.ts';

export interface SimilarReport {
  title: string;
  url: string;
  createdAt: Date;
  /** What it shares with this one, in words. */
  shares: readonly string[];
  judgement: 'right' | 'wrong' | null;
}

export interface ReportMetadata {
  /** The model that ran. */
  model: string;
  /** `offline` for the built-in playbook. */
  provider: 'anthropic' | 'offline';
  /** What ended the run before the model was done. */
  limit?: RunLimit;
  /** The sections on what was checked and what was not, as Markdown. */
  coverage?: string;
  /** The pull request that it recommends. */
  suggestion?: StoredSuggestion;
  /** The team's earlier investigations like this one. */
  similar?: readonly SimilarReport[];
  /** Where to see the run with all its tool calls. */
  investigationUrl?: string;
}

const BASIS: Record<ConfidenceBasis, string> = {
  measured: 'as often as evidence like this was right on known incidents',
  stated: "the model's own estimate",
};

const VERDICTS: Record<Hypothesis['verdict'], string> = {
  supported: 'Supported',
  ruled_out: 'Ruled out',
  open: 'Open',
};

/**
 * Renders a checked report as Markdown (CommonMark), in the order of a postmortem. The model's text cannot change the structure, excerpts stay inside
 * their code blocks, and unverified claims are marked both where they are cited and where they are listed.
 */
export function renderReport(report: CheckedReport, metadata: ReportMetadata): string {
  const verified = verifiedNumbers(report.citations);
  const mark = (text: string): string =>
    mapCitations(text, (numbers) => numbers.map((n) => (verified.has(n) ? `[${n}]` : `[${n} unverified]`)).join(''));
  const block = (text: string): string => safeBlock(mark(text));
  const inline = (text: string): string => safeInline(mark(text));
  const { root_cause, recommended_change } = report;
  const confidence = `${Math.round(report.confidence * 100)} %, ${BASIS[report.confidenceBasis ?? 'stated']}`;
  const service = root_cause.service === null ? 'not known' : codeSpan(root_cause.service);
  const sections = [
    `# ${safeInline(report.title)}`,
    `**Service at fault:** ${service}${root_cause.service === null ? '' : `  \n**Confidence:** ${confidence}`}`,
    metadata.limit && `> **Ended early** because ${describeLimit(metadata.limit)}. This is the best report so far.`,
    `## Summary\n\n${block(report.summary)}`,
    `## Impact\n\n${block(report.impact)}`,
    listSection('Timeline', report.timeline, ({ at, event }) => `${codeSpan(at)} ${inline(event)}`),
    `## Root cause\n\n${block(root_cause.statement)}`,
    listSection('Hypotheses', report.hypotheses, ({ verdict, statement, reasoning }) => {
      return `**${VERDICTS[verdict]}:** ${inline(statement)} — ${inline(reasoning)}`;
    }),
    `## What to do next\n\n${inline(recommended_change.summary)}`,
    recommended_change.details && block(recommended_change.details),
    metadata.suggestion && suggestionSection(metadata.suggestion, metadata.investigationUrl),
    listSection('Similar past investigations', metadata.similar ?? [], similarLine),
    evidenceSection(report.citations),
    metadata.coverage,
    listSection('Claims without verified evidence', report.unverifiedClaims, ({ where, claim, why }) => {
      return `${codeSpan(where)} ${safeInline(why)}: “${safeInline(claim)}”`;
    }),
    footer(metadata),
  ];
  return `${sections.filter(Boolean).join('\n\n')}\n`;
}

/** Longer diffs are cut: the page shows the whole. */
const DIFF_CHARACTERS = 8_000;

function suggestionSection(suggested: StoredSuggestion, url: string | undefined): string {
  const { title, repository, base, reverts, files, diff, diff_truncated: isCut, warnings } = suggested;
  const isLong = diff.length > DIFF_CHARACTERS;
  const shown = isLong ? diff.slice(0, diff.lastIndexOf('\n', DIFF_CHARACTERS) + 1) : diff;
  const how = url === undefined ? '' : `${link('Open the pull request', url)} from this investigation in Casebook, or `;
  return [
    '## Recommended pull request',
    `**${safeInline(title)}** in ${codeSpan(repository)}, to be merged into ${codeSpan(base)}.`,
    reverts && `It reverts ${codeSpan(reverts.commit.slice(0, 10))} (${safeInline(reverts.summary)}).`,
    `${how === '' ? 'Open it ' : `${how}open it `}with \`POST /api/create-pr/from-investigation\`.`,
    ...warnings.map((warning) => `> ${safeInline(warning)}`),
    fenced(shown.trimEnd(), 'diff'),
    (isLong || isCut) && `The diff of ${files.length === 1 ? 'one file' : `${files.length} files`} is shown in part.`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

function listSection<Item>(title: string, items: readonly Item[], line: (item: Item) => string): string {
  if (items.length === 0) return '';
  return `## ${title}\n\n${items.map((item) => `- ${line(item)}`).join('\n')}`;
}

function similarLine({ title, url, createdAt, shares, judgement }: SimilarReport): string {
  const judged = judgement === null ? '' : `; judged ${judgement}`;
  // The title is not the link's text, where a bracket of its own would end it.
  return `${safeInline(title)} (${link(createdAt.toISOString().slice(0, 10), url)}): same ${shares.join(', ')}${judged}`;
}

function link(text: string, url: string): string {
  return `[${text}](<${encodeURI(url).replaceAll(/[<>]/gu, '')}>)`;
}

function evidenceSection(citations: readonly CheckedCitation[]): string {
  if (citations.length === 0) return '## Evidence\n\nThis report cites no evidence.';
  const ordered = citations.toSorted((a, b) => a.n - b.n);
  return `## Evidence\n\n${ordered.map(renderCitation).join('\n\n')}`;
}

function renderCitation({ n, evidence, tool, source, sha256, excerpts }: CheckedCitation): string {
  const of = source === undefined ? '' : ` of ${codeSpan(source)}${isRecorded(source) ? ' (recorded)' : ''}`;
  const head =
    tool === null
      ? `**[${n}]** evidence ${evidence}: **there is no such evidence**`
      : `**[${n}]** evidence ${evidence}, ${codeSpan(tool)}${of}, sha256 ${codeSpan((sha256 ?? '').slice(0, 12))}`;
  const quoted = excerpts.map(({ text, verified, offset }) => {
    const state = verified ? `Verified at character ${offset}:` : '**Not verified: this text is not in the evidence.**';
    return `${state}\n\n${fenced(text)}`;
  });
  return [head, ...quoted].join('\n\n');
}

function footer({ model, provider, investigationUrl }: ReportMetadata): string {
  const author =
    provider === 'offline'
      ? `Written by the built-in offline model (${codeSpan(model)}), which follows a playbook and needs no key.`
      : `Written by ${codeSpan(model)}.`;
  const steps = investigationUrl ? ` ${link('All steps and tool calls', investigationUrl)}` : '';
  return `---\n\n${author}${steps}`;
}
