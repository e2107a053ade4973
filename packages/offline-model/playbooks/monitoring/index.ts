/**
 * The playbook of a monitoring agent's chat. A plan is drafted from a few templates; what is not understood is said, with
 * the way to the plan form of the web app. Questions about the system are answered as in any chat.
 */
import type { Playbook, Situation, Turn } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import { callsOf, isRecord, lastCall, wasMade } from '../calls.ts';
import { readChat, type Chat } from '../conversation/chat.ts';
import { conversation } from '../conversation/index.ts';
import { readIntent } from '../conversation/intent.ts';
import { bullets, cite, failureOf, listed, name, paragraphs } from '../conversation/wording.ts';
import { call } from '../investigation/gather.ts';
import { parsePartialJson } from '../investigation/partial-json.ts';
import { quote } from '../investigation/statements.ts';
import { DURATION } from '../reading.ts';
import { caseOf, telemetryOf } from '../telemetry.ts';
import { draftPlan, type Draft } from './draft.ts';
import { settingsIn } from './settings.ts';

const UPDATE = 'update_monitoring_plan';
const READ = 'read_monitoring_plan';
const MAX_TURNS = 9;
const MAX_LISTED = 10;
const FORM = 'The form under “Plan” on the page of this agent in the web app sets everything that a plan can say.';

const POLITE = String.raw`^(?:(?:please|now|then|and|also|ok(?:ay)?|hi|hello)[\s,.!]+)*(?:(?:can|could|would) you\s+(?:please\s+)?)?`;
const PAUSE = new RegExp(
  String.raw`${POLITE}(?:pause|suspend|stop)(?:\s+(?:it|all|everything|yourself|monitoring|watching|checking|the agent|for now|please|now))*\s*[.!]*$`,
  'iu',
);
const RESUME = new RegExp(
  String.raw`${POLITE}(?:resume|unpause|continue|go on)(?:\s+(?:it|all|everything|monitoring|watching|again|please|now))*\s*[.!]*$`,
  'iu',
);
const REMOVE = new RegExp(
  String.raw`${POLITE}(?:remove|delete|drop|stop watching|stop monitoring|stop checking)\s+(.+)$`,
  'iu',
);
/** An interval and nothing else is one for all checks. */
const RESCHEDULE = new RegExp(
  String.raw`${POLITE}(?:(?:check|run|do|look)\s+(?:it\s+|them\s+|everything\s+)?)?(?:every|each)\s+${DURATION}(?:\s+(?:is enough|instead|please|will do|from now on))*\s*[.!]*$`,
  'iu',
);
const RUN = new RegExp(
  String.raw`${POLITE}(?:run|check)\s+(?:it|them|all|everything|the checks?|now)(?:\s+(?:all|now|again|right now|please))*\s*[.!]*$`,
  'iu',
);
const PLAN =
  /\b(?:what|which)\b[^.?!]*\b(?:(?:are|do) you (?:watch|monitor|check)\w*|plan|checks)\b|\b(?:show|list|read)\b[^.?!]*\b(?:plan|checks)\b|\bare you (?:still )?(?:watching|active|paused|running)\b|^(?:plan|status|checks)\W*$/iu;
const FINDINGS =
  /\b(?:did|have) you (?:found?|find|see|seen|noticed?)\b|\bfindings?\b|\b(?:is|was) (?:everything|all) (?:ok(?:ay)?|fine|good|quiet)\b|\banything (?:new|wrong|unusual|to report)\b/iu;
const SESSIONS =
  /\b(?:last|latest|recent) (?:runs?|checks?|sessions?|results?)\b|\bhistory\b|\bdid (?:it|the checks?|you) (?:run|check)\b/iu;
const WATCHES =
  /\b(?:watch|monitor|observe|keep an eye|look (?:at|for|after|out|whether|if)|track|check|alert|notify|warn|page|(?:tell|let) (?:me|us)|every|each|hourly|daily|above|below|exceeds?)\b/iu;

type Request =
  | 'draft'
  | 'pause'
  | 'resume'
  | 'remove'
  | 'reschedule'
  | 'run'
  | 'plan'
  | 'findings'
  | 'sessions'
  | 'question';

/** A call of the agent, and what is said about its result. */
interface Action {
  text: string;
  tool: string;
  input: Record<string, unknown>;
  answer(result: Record<string, unknown>, made: Call): string;
}

export const monitoring: Playbook = {
  name: 'monitoring',
  // A key that may not change the plan may still ask about it.
  fits: ({ offered }) => offered.has(UPDATE) || offered.has(READ),
  play(situation) {
    if (situation.forcedTool) return { text: '', calls: [{ name: situation.forcedTool, input: {} }] };
    const chat = readChat(situation);
    const request = requestIn(chat.question.text);
    if (request === 'question') return asked(situation, chat);
    if (request === 'draft') return draft(chat);
    if (request === 'remove' || request === 'reschedule') return change(chat, request);
    return act(chat, ACTIONS[request]);
  },
};

function requestIn(text: string): Request {
  const said = text.trim();
  if (PAUSE.test(said)) return 'pause';
  if (RESUME.test(said)) return 'resume';
  if (REMOVE.test(said)) return 'remove';
  if (RESCHEDULE.test(said)) return 'reschedule';
  if (RUN.test(said)) return 'run';
  const isQuestion = /^(?:what|which|who|why|how|did|do|does|have|has|is|are|was|were|when|show|list|any)\b|\?$/iu.test(
    said,
  );
  if (isQuestion || /^(?:plan|status|checks|findings)\W*$/iu.test(said)) {
    if (PLAN.test(said)) return 'plan';
    if (SESSIONS.test(said)) return 'sessions';
    if (FINDINGS.test(said)) return 'findings';
  }
  return WATCHES.test(said) && !/^(?:what|which|who|why|how|when)\b/iu.test(said) ? 'draft' : 'question';
}

/** A question about the system, which a chat answers; what it does not understand is more than a chat's. */
function asked(situation: Situation, chat: Chat): Turn {
  const { kind } = readIntent(chat.question.text, true);
  if (kind !== 'unclear' && kind !== 'introduction') return conversation.play(situation);
  const head =
    kind === 'introduction'
      ? 'I am a monitoring agent: I watch what you tell me to.'
      : 'I did not understand that, so nothing is changed.';
  return { text: paragraphs(head, HELP), calls: [] };
}

const HELP = paragraphs(
  'Without an Anthropic API key I am Casebook’s offline model and understand a few plain sentences:',
  bullets([
    '“Watch the latency and errors of checkout every minute” (without a limit I compare with what is usual)',
    '“Tell me if the error rate of payments is above 5 % for 10 minutes, critical”',
    '“Watch for "connection refused" in the logs of orders”, “Watch all services every 5 minutes”',
    '“What are you watching?”, “Did you find anything?”, “Run it now”, “Every 10 minutes”, “Remove orders-logs”, “Pause”, “Resume”',
  ]),
  FORM,
);

/** Looks at sources, services and metrics, then writes the checks into the plan. */
function draft(chat: Chat): Turn {
  const { situation, question } = chat;
  const can = (tool: string): boolean => situation.tools.has(tool);
  const file = caseOf(chat.calls);
  const made = lastCall(file, UPDATE);
  const telemetry = telemetryOf(file, question.text);
  const drafted = draftPlan(question.text, telemetry, can);
  if (made) return { text: writtenAnswer(made, drafted), calls: [] };
  if (chat.turnsSpent < MAX_TURNS) {
    if (can('list_sources') && callsOf(file, 'list_sources').length === 0)
      return { text: 'I look at which telemetry sources there are.', calls: [call('list_sources', {})] };
    const listing = telemetry.asked
      .map(({ id }) => call('list_services', { source: id }))
      .filter((one) => can(one.name) && !wasMade(file, one));
    if (listing.length > 0) return { text: 'I look up the services.', calls: listing };
    if (drafted.calls.length > 0) return { text: 'I look for the metrics that measure that.', calls: drafted.calls };
  }
  const { checks, notes } = drafted;
  if (checks.length === 0)
    return {
      text: paragraphs(
        'Nothing is changed: I could not make a check of that.',
        bullets(notes),
        notes.length > 0 ? FORM : HELP,
      ),
      calls: [],
    };
  if (!can(UPDATE)) return { text: `I may not change the plan here (${UPDATE}). ${FORM}`, calls: [] };
  const patch = {
    summary: `Watches ${checks.map(({ title }) => title).join('; ')}.`.slice(0, 1_000).toWellFormed(),
    checks,
  };
  const reason = question.text.trim().slice(0, 1_000).toWellFormed();
  return { text: 'I write that into the plan.', calls: [call(UPDATE, { patch, reason })] };
}

function writtenAnswer(made: Call, { checks, notes }: Draft): string {
  if (made.isError) return paragraphs(`The plan was not accepted, and nothing is changed: ${problemsOf(made)}.`, FORM);
  const result = resultOf(made);
  const described = listOf(result, 'checks').filter(({ id }) => checks.some((check) => check.id === id));
  const lines = described.map(checkLine);
  return paragraphs(
    'This is what I understood and watch from now on:',
    bullets(lines),
    checks.some(({ check }) => check.type === 'instruction')
      ? 'I carry out an instruction in your words only as far as it names services, metrics, logs, changes or alerts.'
      : '',
    bullets(notes),
    reporting(result),
    `Whatever else your words said is not in the plan. ${FORM}`,
  );
}

/** Takes out the checks that are named by their ids, or gives all of them another interval. */
function change(chat: Chat, request: 'remove' | 'reschedule'): Turn {
  const { tools } = chat.situation;
  const file = caseOf(chat.calls);
  const removed = lastCall(file, UPDATE);
  if (removed?.isError) return { text: `Nothing is changed: ${problemsOf(removed)}.`, calls: [] };
  if (removed) return { text: `Done: ${texts(resultOf(removed), 'changes')}.`, calls: [] };
  const read = lastCall(file, READ);
  if (!read && tools.has(READ)) return { text: 'I read the plan.', calls: [call(READ, {})] };
  const checks = read ? listOf(resultOf(read), 'checks') : [];
  const said = (REMOVE.exec(chat.question.text.trim())?.[1] ?? '').toLowerCase();
  const ids = checks.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  const isAll = request === 'reschedule' || /^(?:all|everything|all (?:the )?checks)\W*$/u.test(said);
  const meant = isAll
    ? ids
    : ids.filter((id) => said.includes(id) || (ids.length === 1 && /^(?:it|the check|that)\W*$/u.test(said)));
  if (meant.length === 0)
    return {
      text: paragraphs(
        `I do not know which check you mean. These are their ids: ${listed(ids.map(name)) || 'there is none'}${cite(read)}.`,
        FORM,
      ),
      calls: [],
    };
  if (!tools.has(UPDATE)) return { text: `I may not change the plan here (${UPDATE}).`, calls: [] };
  const { schedule } = settingsIn(chat.question.text);
  const patch = { checks: meant.map((id) => (request === 'remove' ? { id, remove: true } : { id, schedule })) };
  return {
    text: 'I change the plan.',
    calls: [call(UPDATE, { patch, reason: chat.question.text.trim().slice(0, 1_000).toWellFormed() })],
  };
}

const toggle = (active: boolean): Action => ({
  text: active ? 'I resume.' : 'I pause.',
  tool: UPDATE,
  input: { active, reason: active ? 'Resume.' : 'Pause.' },
  answer: () => (active ? 'I watch again.' : 'I am paused: nothing is checked until you say “resume”.'),
});

const ACTIONS: Record<Exclude<Request, 'draft' | 'remove' | 'reschedule' | 'question'>, Action> = {
  pause: toggle(false),
  resume: toggle(true),
  run: {
    text: 'I run the checks.',
    tool: 'run_check_now',
    input: {},
    answer: (result) =>
      `These checks run now: ${texts(result, 'started')}. Ask “what did the last runs say?” in a moment.`,
  },
  plan: {
    text: 'I read the plan.',
    tool: READ,
    input: {},
    answer(result, made) {
      const checks = listOf(result, 'checks').map((check) => `${checkLine(check)}${cite(made)}`);
      if (checks.length === 0) return paragraphs(`I watch nothing yet${cite(made)}.`, HELP);
      const state = result['active'] === false ? 'I am paused. This is the plan:' : 'This is what I watch:';
      const reasons = texts(result, 'reasons');
      return paragraphs(
        state,
        bullets(checks),
        reasons === '' ? '' : `My status is ${text(result, 'status')}: ${reasons}${cite(made)}.`,
        reporting(result),
      );
    },
  },
  findings: {
    text: 'I look up the findings.',
    tool: 'list_monitoring_findings',
    input: { limit: MAX_LISTED },
    answer(result, made) {
      const lines = listOf(result, 'findings').map((finding) => {
        const investigation = text(finding, 'investigation_id');
        const since = text(finding, 'opened_at');
        return `${text(finding, 'status')}, ${text(finding, 'severity')}${since === '' ? '' : `, since ${since}`}: ${quote(text(finding, 'title'), 160)}${investigation === '' ? '' : `, investigated as ${name(investigation)}`}${cite(made)}`;
      });
      return lines.length === 0
        ? `I have found nothing so far${cite(made)}.`
        : paragraphs('What I found, the latest first:', bullets(lines));
    },
  },
  sessions: {
    text: 'I look up the last runs.',
    tool: 'list_monitoring_sessions',
    input: { limit: MAX_LISTED },
    answer(result, made) {
      const lines = listOf(result, 'sessions').map(
        (session) =>
          `${name(text(session, 'check_id'))}, ${name(text(session, 'status'))}: ${quote(text(session, 'summary'), 160)}${cite(made)}`,
      );
      return lines.length === 0
        ? `No check has run yet${cite(made)}.`
        : paragraphs('The last runs, the newest first:', bullets(lines));
    },
  },
};

function act(chat: Chat, { text: narration, tool, input, answer }: Action): Turn {
  const made = lastCall(caseOf(chat.calls), tool);
  if (!made && chat.situation.tools.has(tool)) return { text: narration, calls: [call(tool, input)] };
  if (!made) return { text: `This chat does not offer the tool for that (${tool}).`, calls: [] };
  return {
    text: made.isError ? `That did not work: ${problemsOf(made)}.` : answer(resultOf(made), made),
    calls: [],
  };
}

/** Where findings are reported. */
function reporting(result: Record<string, unknown>): string {
  const channel = text(result, 'reports_to');
  return channel === ''
    ? 'I report to nobody yet: choose a channel on the page of this agent.'
    : `I report to ${quote(channel, 80)}.`;
}

function checkLine(check: Record<string, unknown>): string {
  return `${name(text(check, 'id'))}: ${quote(text(check, 'description'), 300)}`;
}

function problemsOf(made: Call): string {
  const problems = listOf(resultOf(made), 'problems').map(
    (one) => `${name(text(one, 'at'))}: ${quote(text(one, 'problem'), 160)}`,
  );
  return problems.length > 0 ? problems.join('; ') : failureOf(made);
}

function resultOf({ body }: Call): Record<string, unknown> {
  const value: unknown = parsePartialJson(body);
  return isRecord(value) ? value : {};
}

function listOf(result: Record<string, unknown>, key: string): Record<string, unknown>[] {
  const value: unknown = result[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function text(result: Record<string, unknown>, key: string): string {
  const value = result[key];
  return typeof value === 'string' ? value : '';
}

/** A list of texts, as code. */
function texts(result: Record<string, unknown>, key: string): string {
  const value: unknown = result[key];
  const all: unknown[] = Array.isArray(value) ? value : [];
  return listed(all.flatMap((one) => (typeof one === 'string' ? [quote(one, 200)] : [])));
}
