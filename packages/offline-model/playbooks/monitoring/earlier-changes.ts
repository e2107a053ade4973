/** Changes of the plan that were made in this conversation: to tell them, and to undo the last. */
import type { Call } from '../../transcript.ts';
import { isRecord } from '../conversation/calls.ts';
import { timeOf, type Chat } from '../conversation/chat.ts';
import { bullets, cite, clock, day, failureOf, paragraphs } from '../conversation/wording.ts';
import { parsePartialJson } from '../investigation/partial-json.ts';
import { quote } from '../investigation/statements.ts';
import { currentPlan } from './current-plan.ts';
import { readFirst, UPDATE, updates, updating, type Can, type Play } from './play.ts';

const READ = 'read_monitoring_plan';
const VERSIONS = 'GET /api/monitoring-chat/{chat_id}/plan/versions';
const MOST_TOLD = 10;
const MOST_LINES = 4;

interface Earlier {
  /** What the person said. */
  said: string;
  at?: string;
  made: Call[];
  /** Of the plan after it. */
  version?: number;
  /** What was different, as the tool says. */
  lines: string[];
  /** The plan before it; undefined where it was not read whole. */
  before?: { plan: Record<string, unknown>; active?: boolean };
  activeAfter?: boolean;
}

/** Every message that changed the plan, the last one at the end. */
export function earlierChanges(chat: Chat): Earlier[] {
  return chat.earlier.flatMap(({ question }, index) => {
    const until = chat.earlier[index + 1]?.question.turn ?? chat.question.turn;
    const calls = chat.earlierCalls.filter(({ turn }) => turn >= question.turn && turn < until);
    const made = calls.filter(({ tool, isError }) => tool === UPDATE && !isError);
    const [first] = made;
    const last = made.at(-1);
    if (!first || !last) return [];
    const read = calls.slice(0, calls.indexOf(first)).findLast(({ tool, isError }) => tool === READ && !isError);
    const bodies = made.map(bodyOf);
    const { plan_version: version, active } = bodies.at(-1) ?? {};
    const at = timeOf(question);
    const before = read && planOf(read);
    return [
      {
        said: question.text,
        ...(at !== undefined && { at }),
        made,
        ...(typeof version === 'number' && { version }),
        lines: bodies.flatMap(({ changes }) =>
          Array.isArray(changes) ? changes.filter((one) => typeof one === 'string') : [],
        ),
        ...(before && { before }),
        ...(typeof active === 'boolean' && { activeAfter: active }),
      },
    ];
  });
}

export function undoPlay(chat: Chat, can: Can): Play {
  const last = earlierChanges(chat).at(-1);
  return {
    plan: {
      query: '',
      next(file) {
        const first = readFirst(file, can);
        if (first) return first;
        const { accepted, refused } = updates(file);
        const change = restoring(last, currentPlan(file)?.version);
        if (!change || !can(UPDATE) || accepted || refused.length > 0) return undefined;
        return updating(chat, 'I put the plan back.', change);
      },
    },
    answer(file) {
      const { accepted, refused } = updates(file);
      if (refused[0]) return `**Nothing is changed:** ${failureOf(refused[0].call)}${cite(refused[0].call)}.`;
      if (!last)
        return `**Nothing is changed:** I remember no change in this conversation. Every version of the plan is kept (${VERSIONS}), and any can be written again.`;
      const said = quote(last.said, 120);
      if (accepted)
        return paragraphs(
          `Undone${cite(accepted)}: the plan is again as it was before ${said}.`,
          last.lines.length > 0
            ? `That was:\n\n${bullets(last.lines.slice(0, MOST_LINES).map((one) => quote(one, 240)))}`
            : '',
          'Say “undo” again to have it back.',
        );
      if (!can(UPDATE)) return 'This chat may not do that: the key needs the scope monitoring:write.';
      if (!restoring(last, currentPlan(file)?.version))
        return `**Nothing is changed:** ${
          last.before
            ? `the plan was changed by others after ${said}`
            : `I do not know any more how the plan was before ${said}`
        }. Every version is kept (${VERSIONS}), and any can be written again.`;
      return 'I had to answer before I could change the plan.';
    },
  };
}

function restoring(last: Earlier | undefined, version: number | undefined) {
  const before = last?.before;
  if (!before || version === undefined || last.version !== version) return undefined;
  const { active } = before;
  return { plan: before.plan, ...(active !== undefined && active !== last.activeAfter && { active }) };
}

export function historyPlay(chat: Chat, can: Can): Play {
  return {
    plan: { query: '', next: (file) => readFirst(file, can) },
    answer(file) {
      const plan = currentPlan(file);
      const version = plan?.version === undefined ? '' : `The plan is at version ${plan.version}${cite(plan.call)}. `;
      const where = `Every version, also those written elsewhere, is kept with who wrote it, when and why: ${VERSIONS}.`;
      const all = earlierChanges(chat);
      if (all.length === 0) return `${version}In this conversation it was not changed, as far as I can see. ${where}`;
      return paragraphs(
        `${version}These messages of this conversation changed it, newest first:`,
        bullets(
          all
            .toReversed()
            .slice(0, MOST_TOLD)
            .map(({ said, at, lines, made }) => {
              const when = at === undefined ? '' : `${day(at)} ${clock(at)} UTC: `;
              const what = lines
                .slice(0, MOST_LINES)
                .map((one) => quote(one, 200))
                .join('; ');
              return `${when}${quote(said, 160)}${what === '' ? '' : `: ${what}`}${cite(...made)}.`;
            }),
        ),
        where,
      );
    },
  };
}

function bodyOf({ body }: Call): Record<string, unknown> {
  const value: unknown = parsePartialJson(body);
  return isRecord(value) ? value : {};
}

/** Only a plan that was read to its end can be put back. */
function planOf(read: Call): Earlier['before'] {
  if (read.shownFrom > 0 || read.shownTo < read.characters) return undefined;
  const { plan, active } = bodyOf(read);
  return isRecord(plan) ? { plan, ...(typeof active === 'boolean' && { active }) } : undefined;
}
