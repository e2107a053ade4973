/** Starts, follows, reads and lists investigations in a chat. */
import type { Call } from '../../transcript.ts';
import type { Chat, Play } from './chat.ts';
import { UUID } from './intent.ts';
import { call, callsOf, given, jsonOf, lastCall, rowsOf, textOf } from '../calls.ts';
import { bullets, cite, clip, failureOf, name, outsideCode, paragraphs, quote } from '../wording.ts';

const MAX_FOLLOWS = 8;
const MAX_LISTED = 10;
const SECTION_CHARACTERS = 900;
/** A report numbers its own citations; in a chat these numbers mean something else. */
const CITATION = /\s?\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*(?: unverified)?\]/g;

export function startPlay(chat: Chat): Play {
  const { question, earlier } = chat;
  const before = /\b(?:it|this|that)\b/i.test(question.text) ? earlier.at(-1)?.text.trim() : undefined;
  const query = `${question.text.trim()}${before === undefined ? '' : `\n\nThe question before was: ${before}`}`;
  return {
    next() {
      const started = lastCall(chat, 'start_investigation');
      if (!started) return { text: 'Starting an investigation.', calls: [call('start_investigation', { query })] };
      const id = idOf(started);
      const follows = callsOf(chat, 'follow_investigation');
      const last = follows.at(-1);
      const isOver = last !== undefined && (last.isError || textMember(last.body, 'status') !== 'processing');
      if (started.isError || id === undefined || isOver || follows.length >= MAX_FOLLOWS) return undefined;
      return {
        text:
          follows.length === 0
            ? `Investigation ${name(id)} is running. Waiting for its result.`
            : 'Still running. Waiting for its result.',
        calls: [call('follow_investigation', { investigation_id: id })],
      };
    },
    answer: () => startAnswer(chat),
  };
}

function startAnswer(chat: Chat): string {
  const started = lastCall(chat, 'start_investigation');
  if (!started) return 'The time ran out before the investigation started.';
  if (started.isError) return `The investigation could not be started: ${failureOf(started)}${cite(started)}.`;
  const id = name(idOf(started) ?? 'without an id');
  const followed = callsOf(chat, 'follow_investigation').findLast(({ isError }) => !isError);
  const status = followed && textMember(followed.body, 'status');
  if (!followed || status === undefined || status === 'processing')
    return `Investigation ${id} is running${cite(followed ?? started)}. Ask me “what did investigation ${id} find?” in a moment.`;
  return paragraphs(`Investigation ${id}: ${name(status)}${cite(followed)}.`, report(followed));
}

export function readPlay(chat: Chat): Play {
  return {
    next() {
      if (lastCall(chat, 'read_investigation')) return undefined;
      const list = lastCall(chat, 'list_investigations');
      const id = UUID.exec(chat.question.text)?.[0] ?? subjectOf(chat) ?? (list && newestIn(list));
      if (id !== undefined)
        return {
          text: `Reading investigation ${name(id)}.`,
          calls: [call('read_investigation', { investigation_id: id })],
        };
      const text = 'Listing recent investigations.';
      return list ? undefined : { text, calls: [call('list_investigations', { limit: MAX_LISTED })] };
    },
    answer: () => readAnswer(chat),
  };
}

function readAnswer(chat: Chat): string {
  const read = lastCall(chat, 'read_investigation');
  const list = lastCall(chat, 'list_investigations');
  const failed = [read, list].find((made) => made?.isError);
  if (failed) return `The investigation could not be read: ${failureOf(failed)}${cite(failed)}.`;
  if (!read) return list ? `There are no investigations yet${cite(list)}.` : 'The time ran out before it was read.';
  const id = name(idOf(read) ?? '');
  const status = textMember(read.body, 'status') ?? '';
  if (status === 'processing') return `Investigation ${id} is still running${cite(read)}. Ask again in a moment.`;
  const about = quote(textMember(read.body, 'query') ?? '', 160);
  return paragraphs(`Investigation ${id} (${name(status)}): ${about}${cite(read)}.`, report(read));
}

export function listPlay(chat: Chat): Play {
  const list = lastCall(chat, 'list_investigations');
  const next = { text: 'Listing recent investigations.', calls: [call('list_investigations', { limit: MAX_LISTED })] };
  return { next: () => (list ? undefined : next), answer: () => listAnswer(list) };
}

function listAnswer(list: Call | undefined): string {
  if (!list) return 'The time ran out before they were listed.';
  if (list.isError) return `The investigations could not be listed: ${failureOf(list)}${cite(list)}.`;
  const lines = rowsOf(jsonOf(list), 'investigations').map((row) => {
    const summary = textOf(row, 'alert_summary');
    const found = summary === '' ? '' : `, ${quote(summary, 120)}`;
    const id = name(textOf(row, 'investigation_id'));
    return `${id}, ${name(textOf(row, 'status'))}: ${quote(textOf(row, 'query'), 100)}${found}${cite(list)}`;
  });
  if (lines.length === 0) return `There are no investigations yet${cite(list)}.`;
  return paragraphs(
    'Recent investigations:',
    bullets(lines),
    'To read one, ask “what did investigation … find?” with its id.',
  );
}

/** The investigation that the chat started or read last, else the one its context names. */
export function subjectOf({ question, earlier, earlierCalls }: Chat): string | undefined {
  const used = earlierCalls.findLast(({ tool, isError }) => !isError && /^(?:start|read)_investigation$/.test(tool));
  const contexts = [question, ...earlier.toReversed()].map(({ context }) => context);
  const stated = contexts.find((context) => /investigation/i.test(context) && UUID.test(context));
  return (used && idOf(used)) ?? (stated === undefined ? undefined : UUID.exec(stated)?.[0]);
}

function report(result: Call): string {
  const text = textMember(result.body, 'investigation_text') ?? '';
  const cited = cite(result);
  const confidence = /\*\*Confidence:\*\*\s*(\d{1,3}\s?%)/.exec(text)?.[1];
  const cause = sectionOf(text, 'Root cause');
  // Reports of earlier versions have the other heading.
  const change = sectionOf(text, 'What to do next') || sectionOf(text, 'Recommended change');
  return paragraphs(
    cause === '' ? `It has no report${cited}.` : `**Root cause:** ${cause}${cited}`,
    confidence ? `**Confidence:** ${confidence}${cited}` : '',
    change === '' ? '' : `**Recommended:** ${change}${cited}`,
  );
}

function sectionOf(text: string, title: string): string {
  const [, body = ''] = text.split(`\n## ${title}\n`);
  const lines = body.split(/\n(?:#|---)/)[0]?.split('\n') ?? [];
  const plain = lines.map((line) => line.replace(/^\s*[-*+]\s+/, '').trim()).filter(Boolean);
  return clip(outsideCode(plain.join(' '), harmless), SECTION_CHARACTERS);
}

/** Without the report's citations, links, images and HTML. */
function harmless(part: string): string {
  return part
    .replaceAll(CITATION, '')
    .replaceAll('](', '] (')
    .replaceAll('![', '[')
    .replaceAll(/<(?=[a-z/!])/gi, '&lt;');
}

function newestIn(list: Call): string | undefined {
  const [row] = rowsOf(jsonOf(list), 'investigations');
  return row && textOf(row, 'investigation_id');
}

function idOf(result: Call): string | undefined {
  return textMember(result.body, 'investigation_id') ?? given(result, 'investigation_id');
}

/** Also reads a text that was cut off. */
function textMember(json: string, key: string): string | undefined {
  const raw = new RegExp(String.raw`"${key}":"((?:[^"\\]|\\.)*)`).exec(json)?.[1];
  if (raw === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(`"${raw.replace(/\\u[\da-f]{0,3}$/i, '')}"`);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
