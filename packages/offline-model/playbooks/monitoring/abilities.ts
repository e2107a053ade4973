/** What a monitoring agent cannot do, and what it says of its cost and of what it did not tell. */
import type { Chat } from '../conversation/chat.ts';
import { bullets, cite, paragraphs } from '../conversation/wording.ts';
import { call } from '../investigation/gather.ts';
import { isRecord } from '../conversation/calls.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { parsePartialJson } from '../investigation/partial-json.ts';
import { quote } from '../investigation/statements.ts';
import { NOTHING } from '../conversation/replay.ts';
import { currentPlan } from './current-plan.ts';
import { FINDINGS, findingLines } from './reports.ts';
import { readFirst, type Can, type Play } from './play.ts';
import { selectChecks, servicesOf } from './selection.ts';
import { lastResult, runsOf, runsToRead, standing, troublesOf } from './standing.ts';
import { whereTo } from './watch-answer.ts';
import { titled } from './words.ts';
import { checkList } from './controls.ts';

export function snoozePlay(chat: Chat): Play {
  return {
    plan: NOTHING,
    answer: () =>
      paragraphs(
        `**Nothing is changed** (${quote(chat.question.text, 120)}): there is no snooze, and nothing would wake me again.`,
        bullets([
          'Say “pause”, and “resume” when I am to go on; or “pause the log check” for one of them.',
          'For a time that comes again name quiet hours: “not between 22:00 and 6:00 Europe/Berlin”, “not on weekends”.',
        ]),
      ),
  };
}

export function acknowledgePlay(chat: Chat): Play {
  return {
    plan: NOTHING,
    answer: () =>
      paragraphs(
        `**Nothing is changed** (${quote(chat.question.text, 120)}): findings are not acknowledged or closed by hand. One is over when its check has found nothing several times in a row, and you are told so; while it lasts you are told of it once.`,
        bullets([
          '“pause the error check of checkout” keeps one check from looking; “resume …” has it look again',
          '“raise the threshold to 8 %” or “be less sensitive” makes less of a finding',
          '“only investigate” keeps me from notifying',
        ]),
      ),
  };
}

/** What it costs: checks without a model nothing. */
export function costPlay(can: Can): Play {
  return {
    plan: {
      query: '',
      next: (file) => {
        const first = readFirst(file, can, runsToRead(file, can).slice(0, 1));
        return first && { ...first, text: 'I look at the plan, and at what the last runs cost.' };
      },
    },
    answer(file) {
      const plan = currentPlan(file);
      if (!plan) return 'I could not read the plan, so I cannot say what it costs.';
      const paid = plan.checks.filter(({ check, judge }) => check.type === 'instruction' || judge === true);
      const value: unknown = parsePartialJson(plan.call.body);
      const budget = isRecord(value) ? value['model_budget_usd_per_day'] : undefined;
      const all = runsOf(file);
      const spent = all.reduce((sum, { cost }) => sum + cost, 0);
      const [newest] = all;
      return paragraphs(
        `Checks of metrics, logs, health and calls run without a model and cost nothing; a model is paid for only by instruction checks, by findings that are judged first, by investigations and by this conversation. ${
          paid.length === 0
            ? `None of my ${plan.checks.length} checks needs one${cite(plan.call)}.`
            : `These of my checks need one${cite(plan.call)}:`
        }`,
        bullets(paid.map(({ id, title }) => `**${titled(title)}** (\`${id}\`)`)),
        newest
          ? `The last ${all.length} runs cost ${spent === 0 ? 'nothing' : `${Number(spent.toPrecision(4))} US dollars`}${cite(newest.call)}.`
          : `No check has run yet.`,
        typeof budget === 'number'
          ? `My budget for models is ${budget} US dollars a day${cite(plan.call)}; it is set in the configuration (PATCH /api/monitoring-chat/{chat_id}/config).`
          : '',
        'Without an Anthropic API key nothing is spent at all: I am Casebook’s offline model.',
      );
    },
  };
}

/** Why nobody was told of something: what is watched, what was found, what could not be looked at, where it reports. */
export function missedPlay(chat: Chat, can: Can): Play {
  return {
    plan: {
      query: '',
      next(file) {
        const first = readFirst(file, can, [call(FINDINGS, { limit: 10 }), ...runsToRead(file, can)]);
        if (first) return { ...first, text: 'I look at the plan, at what was found and at how the checks went.' };
        const more = runsToRead(file, can);
        return more.length > 0 ? { text: 'I look at the runs of the other checks.', calls: more } : undefined;
      },
    },
    answer: (file) => missedAnswer(chat, file),
  };
}

function missedAnswer(chat: Chat, file: CaseFile): string {
  const plan = currentPlan(file);
  if (!plan) return 'I could not read the plan, so I cannot say why.';
  const selected = selectChecks(chat.question.text, plan.checks);
  // Health is errors, latency, saturation and traffic alike.
  const healthy = plan.checks.filter(
    (check) =>
      check.check.type === 'service_health' &&
      !selected.checks.includes(check) &&
      (selected.services.length === 0 || servicesOf(check).length === 0),
  );
  const said = { named: selected.named, checks: [...selected.checks, ...healthy] };
  const about = said.named && said.checks.length > 0 ? said.checks : plan.checks;
  const { failing } = troublesOf(file);
  const blind = about.filter(({ id }) => failing.some(({ check }) => check.id === id));
  const found = findingLines(file);
  return paragraphs(
    said.named && said.checks.length === 0
      ? 'None of my checks watches that.'
      : `What I watch ${said.named ? 'of it' : 'at all'}: ${about.map(({ title, id }) => `${titled(title)} (\`${id}\`)`).join('; ')}${cite(plan.call)}. Other things I do not see.`,
    blind.length > 0 && blind.length === about.length
      ? '**I could not have told you:** none of these checks could look.'
      : '',
    standing(file),
    found.length > 0 ? `What I found lately:\n\n${bullets(found)}` : 'I have found nothing.',
    lastResult(file),
    whereTo(file),
    said.named && said.checks.length === 0 ? checkList(file) : '',
  );
}
