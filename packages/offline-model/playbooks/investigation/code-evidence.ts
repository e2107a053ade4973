/**
 * The last commit to the suspect's repository before the onset, and its revert as a pull request. A repository is the
 * service's if it has its name.
 */
import { clockTime, code } from '@casebook/wording';
import type { Report } from '../../../../src/features/investigations/report/schema.ts';
import type { Turn } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import { call, given, jsonOf, lastCall } from '../calls.ts';
import { clip, failureOf, iso, name, quote } from '../wording.ts';
import type { CaseFile } from './case-file.ts';
import type { Citations } from './citations.ts';
import { BEFORE_MS, conclude, latestCause } from './conclusion.ts';

const HISTORY = 'code_history';
const SUGGEST = 'suggest_pr';
const COMMITS = 5;
/** Below it no cause is established, so nothing is to be reverted. */
const ESTABLISHED = 0.5;
/** Kinds of changes that bring code to a service. */
const OF_CODE = /deploy|release|rollout|merge|commit|build|image/iu;
/** As `code_history` lists them. */
const COMMIT = /^([\da-f]{40}) (\d{4}-\d\d-\d\dT[\d:.]+Z) (.{1,80}?): (.*)$/mu;

export interface SuspectCommit {
  call: Call;
  repository: string;
  id: string;
  /** ISO time. */
  at: string;
  author: string;
  subject: string;
  /** The line as it was listed. */
  line: string;
}

/** What to recommend of a suggested revert. */
export interface Revert {
  /** In place of the usual step; absent if the revert could not be suggested. */
  step?: string;
  /** What is known of it, and what is not. */
  note: string;
}

/** Reads the history, then suggests the revert. @returns undefined when there is nothing to do */
export function examineCode(file: CaseFile, can: (tool: string) => boolean): Turn | undefined {
  if (!can(HISTORY) || !can(SUGGEST)) return undefined;
  const { cause, confidence, change } = conclude(file);
  // A setting or flag that changed last is nearer to the fault than what was committed before.
  const isCode = change === undefined || OF_CODE.test(change.change.kind);
  const repository = cause && isCode && confidence >= ESTABLISHED ? repositoryOf(file, cause.service) : undefined;
  const latest = latestCause(file);
  if (!cause || repository === undefined || Number.isNaN(latest)) return undefined;
  if (!lastCall(file, HISTORY)) {
    const window = { since: iso(latest - BEFORE_MS), until: iso(latest) };
    return {
      text: `Reading the commits to ${name(repository)} before the onset.`,
      calls: [call(HISTORY, { repository, ...window, limit: COMMITS })],
    };
  }
  const suspect = suspectCommit(file);
  if (!suspect || lastCall(file, SUGGEST)) return undefined;
  const { id, subject } = suspect;
  return {
    text: `Suggesting the revert of ${id.slice(0, 10)}.`,
    calls: [
      call(SUGGEST, {
        repository,
        title: clip(`Revert "${subject}"`, 200),
        body: `Reverts ${id}: the last commit to ${code(cause.service)} before it began to fail.`,
        revert_commit: id,
      }),
    ],
  };
}

function repositoryOf({ repositories }: CaseFile, service: string): string | undefined {
  const named = repositories.filter(
    (full) => full.slice(full.lastIndexOf('/') + 1).toLowerCase() === service.toLowerCase(),
  );
  return named.length === 1 ? named[0] : undefined;
}

/** The newest commit that was listed: it came last before the fault. */
export function suspectCommit(file: CaseFile): SuspectCommit | undefined {
  const history = lastCall(file, HISTORY);
  const repository = history && given(history, 'repository');
  if (!history || history.isError || repository === undefined) return undefined;
  const [line, id, at, author, subject] = COMMIT.exec(history.body) ?? [];
  if (line === undefined || id === undefined || at === undefined) return undefined;
  const plain = (subject ?? '').replace(/ \(merge\)$/u, '');
  return { call: history, repository, id, at, author: author ?? '', subject: plain, line };
}

/** ``Commit `abcdef1234` (`Skip booked charges`) by `Noor` changed `shop/payments` at 14:09:40 UTC, the last one before the onset [4].`` */
export function commitSentence(citations: Citations, suspect: SuspectCommit, onset?: string): string {
  const { call: history, repository, id, at, author, subject, line } = suspect;
  const cited = citations.cite(history, line, id);
  const when = onset === undefined ? '' : ` at ${clockTime(at, onset)}`;
  return `Commit ${code(id.slice(0, 10))} (${quote(subject, 150)}) by ${quote(author, 60)} changed ${code(repository)}${when}, the last one before the onset${cited}.`;
}

/** What the report recommends of the suspect commit; undefined without one. */
export function revertOf(file: CaseFile): Revert | undefined {
  const suspect = suspectCommit(file);
  const suggested = suspect && lastCall(file, SUGGEST);
  if (!suggested) return undefined;
  const { id, subject, repository } = suspect;
  const commit = `${code(id.slice(0, 10))} (${quote(subject, 150)})`;
  if (suggested.isError) return { note: `The revert of ${commit} could not be suggested: ${failureOf(suggested)}` };
  return {
    step: `Revert ${commit} in ${code(repository)}: the recommended pull request does.`,
    note: 'Only the time speaks against this commit: the offline model does not understand code, so read the diff before you open the pull request.',
  };
}

/** The successful suggestion, as the report names it. */
export function suggestedIn(file: CaseFile): Pick<Report, 'recommended_pr'> {
  const suggested = lastCall(file, SUGGEST);
  const isSuggested = suggested && !suggested.isError && jsonOf(suggested)['kind'] === 'suggested_pull_request';
  return isSuggested && suggested.evidence !== undefined ? { recommended_pr: { suggestion: suggested.evidence } } : {};
}
