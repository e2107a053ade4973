/** Investigations from within a chat: start one and follow it, read one, list them. */
import type { PlannedCall, Turn } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { call } from '../investigation/gather.ts';
import { parsePartialJson } from '../investigation/partial-json.ts';
import { quote } from '../investigation/statements.ts';
import { callsOf, given, isRecord, lastCall } from './calls.ts';
import { has, type Chat } from './chat.ts';
import { UUID } from './intent.ts';
import type { Plan } from './replay.ts';
import { confidenceIn, detailLines, detailWords, recommendationIn, rootCauseIn, textMember } from './report-text.ts';
import { saysWhat } from './subject.ts';
import { bullets, cite, failureOf, listed, name, paragraphs } from './wording.ts';

type Can = (tool: string) => boolean;

const MOST_FOLLOWS = 8;
const MOST_LISTED = 10;

/** Starts one with the person's words, then follows it to its end. */
export function startPlan(chat: Chat, can: Can): Plan {
  return {
    query: chat.question.text,
    next(file) {
      const started = lastCall(file, 'start_investigation');
      if (!started) {
        const query = queryFor(chat);
        return { text: 'I start an investigation.', calls: offered([call('start_investigation', { query })], can) };
      }
      const id = idOf(started);
      const follows = callsOf(file, 'follow_investigation');
      if (started.isError || id === undefined || isOver(follows.at(-1)) || follows.length >= MOST_FOLLOWS)
        return undefined;
      const text =
        follows.length === 0 ? `It runs as ${name(id)}. I wait for its result.` : progressLine(follows.at(-1));
      return { text, calls: offered([call('follow_investigation', { investigation_id: id })], can) };
    },
  };
}

/** The person's words, and where they say only `this` or `it` the question before, which says what that is. */
function queryFor({ question, earlier }: Chat): string {
  const said = question.text.trim();
  const before = earlier.findLast((one) => saysWhat(one.question.text))?.question.text.trim();
  return saysWhat(said) || before === undefined ? said : `${said}\n\nThe question before was: ${before}`;
}

export function startAnswer(chat: Chat, file: CaseFile): string {
  const started = lastCall(file, 'start_investigation');
  if (!started) {
    return has(chat, 'start_investigation')
      ? 'I had to answer before the investigation was started.'
      : 'This chat may not start investigations: it is not offered the tool for it (start_investigation). It takes a key and a chat that allow side effects.';
  }
  if (started.isError) return `The investigation could not be started: ${failureOf(started)}${cite(started)}.`;
  const id = name(idOf(started) ?? 'without an id');
  const followed = callsOf(file, 'follow_investigation').findLast(({ isError }) => !isError);
  const status = followed && member(followed, 'status');
  if (followed && status === 'completed')
    return paragraphs(`The investigation ${id} is completed${cite(followed)}.`, reportSummary(followed));
  if (followed && (status === 'failed' || status === 'cancelled')) {
    return paragraphs(
      `The investigation ${id} ${status === 'failed' ? 'failed' : 'was cancelled'}${cite(followed)}.`,
      reportSummary(followed),
    );
  }
  return `The investigation ${id} runs${cite(followed ?? started)}. Ask me “what did investigation ${id} find?” in a moment.`;
}

/** Reads the one that is named, that the chat is about, or the last one. */
export function readPlan(chat: Chat, named: string | undefined, can: Can): Plan {
  return {
    query: chat.question.text,
    next(file) {
      const id = named ?? subjectId(chat);
      const read = lastCall(file, 'read_investigation');
      if (read) return undefined;
      if (id !== undefined) return reading(id, can);
      const list = lastCall(file, 'list_investigations');
      if (!list) {
        return {
          text: 'I look up the last investigations.',
          calls: offered([call('list_investigations', { limit: MOST_LISTED })], can),
        };
      }
      const [first] = listedIn(list).toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
      return first ? reading(first.investigation_id, can) : undefined;
    },
  };
}

/** @param whole what it came to, whatever words the question has */
export function readAnswer(chat: Chat, whole: boolean, file: CaseFile): string {
  const read = lastCall(file, 'read_investigation');
  const list = lastCall(file, 'list_investigations');
  const failed = [read, list].find((made) => made?.isError);
  if (failed) return `I could not read it: ${failureOf(failed)}${cite(failed)}.`;
  if (!read) {
    if (list) return `There is no investigation yet${cite(list)}. Say “investigate …” with a symptom to start one.`;
    return has(chat, 'read_investigation')
      ? 'I had to answer before I could read it.'
      : 'This chat is not offered the tool that reads investigations (read_investigation).';
  }
  const id = name(member(read, 'investigation_id') ?? '');
  const status = member(read, 'status') ?? '';
  if (status === 'processing') return `The investigation ${id} is still running${cite(read)}. Ask again in a moment.`;
  const head = `Investigation ${id}, about ${quote(member(read, 'query') ?? '', 160)}, is ${name(status)}${cite(read)}.`;
  const asked = whole ? [] : detailWords(chat.question.text);
  const details = detailLines(reportOf(read), asked);
  if (details.length > 0) return paragraphs(head, bullets(details.map((line) => `${line}${cite(read)}`)));
  const absent =
    asked.length > 0
      ? `Its report does not mention ${listed(asked.map((word) => `“${word}”`))}. This is what it came to:`
      : '';
  return paragraphs(head, absent, reportSummary(read));
}

export function listPlan(can: Can): Plan {
  const calls = offered([call('list_investigations', { limit: MOST_LISTED })], can);
  return { query: '', next: () => ({ text: 'I list the investigations.', calls }) };
}

export function listAnswer(chat: Chat, file: CaseFile): string {
  const list = lastCall(file, 'list_investigations');
  if (!list)
    return has(chat, 'list_investigations')
      ? 'I had to answer before I could list them.'
      : 'This chat is not offered the tool that lists investigations (list_investigations).';
  if (list.isError) return `The investigations could not be listed: ${failureOf(list)}${cite(list)}.`;
  const rows = listedIn(list);
  if (rows.length === 0) return `There is no investigation yet${cite(list)}.`;
  const lines = rows.map(({ investigation_id, query, status, alert_summary }) => {
    const found = alert_summary ? `, ${quote(alert_summary, 120)}` : '';
    return `${name(investigation_id)}, ${name(status)}: ${quote(query, 100)}${found}${cite(list)}`;
  });
  return paragraphs(
    'These are the last investigations:',
    bullets(lines),
    'Ask “what did investigation … find?” with one of these ids to read it.',
  );
}

/** The investigation that the chat's context names. */
export function statedInvestigation({ question, earlier }: Chat): string | undefined {
  return [question, ...earlier.map((one) => one.question).toReversed()]
    .map(({ context }) => (/investigation/i.test(context) ? UUID.exec(context)?.[0] : undefined))
    .find((id) => id !== undefined);
}

/** The investigation that the chat is about: the one it started or read last, else the one its context names. */
export function subjectId(chat: Chat): string | undefined {
  const used = chat.earlierCalls.findLast(
    ({ tool, isError }) => !isError && (tool === 'start_investigation' || tool === 'read_investigation'),
  );
  return (used && idOf(used)) ?? statedInvestigation(chat);
}

function reading(id: string, can: Can): Turn {
  return {
    text: `I read investigation ${name(id)}.`,
    calls: offered([call('read_investigation', { investigation_id: id })], can),
  };
}

/** What it came to, in a few lines. */
function reportSummary(result: Call): string {
  const report = reportOf(result);
  const cause = rootCauseIn(report);
  const summary = member(result, 'alert_summary');
  const next = recommendationIn(report);
  const cited = cite(result);
  const sure = confidenceIn(report);
  return paragraphs(
    summary ? `**${quote(summary, 200)}**${cited}` : '',
    cause ? `**Root cause:** ${cause}${cited}` : `It has no report to read from${cited}.`,
    sure ? `**Confidence:** ${sure}${cited}` : '',
    next ? `**Recommended:** ${next}${cited}` : '',
  );
}

function reportOf({ body }: Call): string {
  return textMember(body, 'investigation_text') ?? '';
}

function progressLine(result: Call | undefined): string {
  const value: unknown = result && parsePartialJson(result.body);
  const progress = isRecord(value) && isRecord(value['progress']) ? value['progress'] : {};
  const { phase, step } = progress;
  return typeof phase === 'string' && typeof step === 'number'
    ? `It is at step ${step} (${name(phase)}). I wait on.`
    : 'It still runs. I wait on.';
}

function isOver(result: Call | undefined): boolean {
  return result !== undefined && (result.isError || member(result, 'status') !== 'processing');
}

interface ListedInvestigation {
  investigation_id: string;
  query: string;
  status: string;
  alert_summary: string;
  created_at: string;
}

function listedIn(result: Call): ListedInvestigation[] {
  const value: unknown = parsePartialJson(result.body);
  const rows: unknown[] = isRecord(value) && Array.isArray(value['investigations']) ? value['investigations'] : [];
  return rows.filter(isRecord).map((row) => {
    const text = (key: string): string => (typeof row[key] === 'string' ? row[key] : '');
    return {
      investigation_id: text('investigation_id'),
      query: text('query'),
      status: text('status'),
      alert_summary: text('alert_summary'),
      created_at: text('created_at'),
    };
  });
}

function idOf(result: Call): string | undefined {
  return member(result, 'investigation_id') ?? given(result, 'investigation_id');
}

function member({ body }: Call, key: string): string | undefined {
  return textMember(body, key);
}

function offered(calls: PlannedCall[], can: Can): PlannedCall[] {
  return calls.filter(({ name: tool }) => can(tool));
}
