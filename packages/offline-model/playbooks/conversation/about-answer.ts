/** Questions about the answer before: what to do, how sure it is, what was ruled out, and whether it is another service. */
import type { Call } from '../../transcript.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { conclude, findingsOf, knownServices } from '../investigation/conclusion.ts';
import { examineService } from '../investigation/examine.ts';
import { call } from '../investigation/gather.ts';
import { chooseSources } from '../investigation/sources.ts';
import { quote } from '../investigation/statements.ts';
import type { Chat } from './chat.ts';
import { chatAt, lastCauseQuestion } from './earlier.ts';
import type { AnswerPart, Intent } from './intent.ts';
import { isNamed, problemAnswer, section } from './problem/answer.ts';
import { problemPlan } from './problem/index.ts';
import { findingFact, signalFact } from './problem/facts.ts';
import {
  confidence,
  evidence as support,
  lead,
  nextStep,
  tellingFindings,
  timeline,
  type Named,
} from './problem/sections.ts';
import { changeVerdictsOf, serviceVerdict, verdictLines } from './problem/verdict-lines.ts';
import { rememberedCause, rememberedLines } from './remembered.ts';
import { NOTHING, type Plan } from './replay.ts';
import { objectIn, serviceIn } from './services.ts';
import { cite, name, paragraphs, sentence } from './wording.ts';

type AboutAnswer = Extract<Intent, { kind: 'about answer' }>;

const SHOWN_CHARACTERS = 700;
const MOST_SIGNALS = 2;

/** The steps of the answer that is asked about, and a look at the service that is asked about. */
export function aboutAnswerPlan(chat: Chat, { of, evidence }: AboutAnswer, can: (tool: string) => boolean): Plan {
  if (of === 'evidence') return evidencePlan(chat, evidence ?? 0, can);
  if (lastCauseQuestion(chat) < 0) return NOTHING;
  const before = problemPlan(chatAt(chat, lastCauseQuestion(chat)), can);
  if (of !== 'service') return before;
  return {
    ...before,
    next(file) {
      const next = before.next(file);
      const choice = chooseSources(file);
      const service = meant(chat, file);
      if (next || !choice || service === undefined) return next;
      const calls = examineService(file, choice, service).filter(({ name: tool }) => can(tool));
      return { text: `I look closer at ${name(service)}.`, calls };
    },
  };
}

export function aboutAnswer(chat: Chat, intent: AboutAnswer, file: CaseFile): string {
  if (intent.of === 'evidence') return evidenceNumber(chat, intent.evidence ?? 0);
  const index = lastCauseQuestion(chat);
  if (index < 0) return fromSummary(chat, intent.of);
  const asked = chatAt(chat, index);
  const choice = chooseSources(file);
  const conclusion = conclude(file);
  if (!choice || !isNamed(conclusion)) return problemAnswer(asked, file, false);
  const verdicts = verdictLines(file, conclusion);
  const parts: Record<AnswerPart, () => string> = {
    'next step': () => paragraphs(nextStep(file, conclusion), confidence(conclusion, verdicts)),
    confidence: () => paragraphs(confidence(conclusion, verdicts), section('Not settled', verdicts.open)),
    'ruled out': () =>
      paragraphs(
        section('Ruled out', verdicts.ruledOut) || 'Nothing was ruled out.',
        section('Not settled', verdicts.open),
      ),
    timeline: () => timeline(file, choice, conclusion) || 'I found no times to order.',
    why: () => paragraphs(lead(file, conclusion), section('Evidence', support(file, choice, conclusion))),
    service: () => aboutService(chat, file, conclusion),
    evidence: () => '',
  };
  return parts[intent.of]();
}

/** The answer is no longer in the transcript, but the summary may have the lines that count. */
function fromSummary(chat: Chat, part: AnswerPart): string {
  const lines = rememberedLines(chat, part);
  const again = 'What the answer rested on is no longer before me; ask the question again and I read it anew.';
  return paragraphs(
    ...(lines.length > 0 ? lines : [`The last cause I named was ${name(rememberedCause(chat) ?? '')}.`]),
    again,
  );
}

function aboutService(chat: Chat, file: CaseFile, conclusion: Named): string {
  const { cause } = conclusion;
  const service = meant(chat, file);
  if (service === undefined) {
    const unknown = objectIn(chat.question.text);
    const what = unknown === undefined ? '' : `I know no service called “${name(unknown)}” there.`;
    return paragraphs(what, lead(file, conclusion), confidence(conclusion, verdictLines(file, conclusion)));
  }
  if (service === cause.service)
    return paragraphs(`Yes, as far as I see it is ${name(service)}.`, lead(file, conclusion));
  const ranked = file.ranking?.result.causes.find((one) => one.service === service);
  const findings = tellingFindings({ ...conclusion, findings: findingsOf(file, service) });
  const read = file.logs.map(({ call }) => call).filter(({ input }) => input['service'] === service);
  const facts = [
    ...(ranked?.signals ?? [])
      .slice(0, MOST_SIGNALS)
      .filter(() => (ranked?.own_score ?? 0) > 0)
      .map((signal) => signalFact(file, service, signal)),
    ...findings.slice(0, 1).map((finding) => findingFact(service, finding)),
    ...(findings.length === 0 && read.length > 0 ? [`Its errors and warnings tell nothing new${cite(...read)}`] : []),
  ];
  facts.push(...changeVerdictsOf(file, conclusion, service));
  const verdict = ranked
    ? serviceVerdict(file, conclusion, ranked)
    : { line: `It is not among the services that the ranking puts first${cite(file.ranking?.call)}`, isSuspect: false };
  const head = verdict.isSuspect ? 'cannot be excluded' : 'is probably not the cause';
  return paragraphs(
    `**${name(service)} ${head}.** ${sentence(verdict.line)}`,
    section('What it shows', facts),
    `What I hold for the cause is still ${name(cause.service)}.`,
  );
}

/** The service that the question is about, among all that are known. */
function meant(chat: Chat, file: CaseFile): string | undefined {
  const known = knownServices(file).map((service) => ({ name: service, metrics: 0 }));
  return serviceIn(chat.question.text, file.services?.result.services ?? known)?.name;
}

/** A result that is no longer in the transcript can be read again where there is a tool for it. */
function evidencePlan(chat: Chat, evidence: number, can: (tool: string) => boolean): Plan {
  const calls = can('read_tool_result') && !shown(chat, evidence) ? [call('read_tool_result', { evidence })] : [];
  return { query: '', next: () => ({ text: `I read evidence ${evidence} again.`, calls }) };
}

function evidenceNumber(chat: Chat, evidence: number): string {
  const found =
    shown(chat, evidence) ?? chat.calls.findLast(({ tool, isError }) => tool === 'read_tool_result' && !isError);
  if (!found) return `I see no evidence ${evidence} in this chat.`;
  const asked = Object.entries(found.input)
    .map(([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  const rest = found.body.length > SHOWN_CHARACTERS ? 'It goes on; the whole result is kept with the chat.' : '';
  return paragraphs(
    `Evidence ${evidence} is what ${name(found.tool)} returned${asked === '' ? '' : ` for ${quote(asked, 200)}`}. It begins:`,
    `${quote(found.body, SHOWN_CHARACTERS)}${cite(found)}`,
    rest,
  );
}

function shown(chat: Chat, evidence: number): Call | undefined {
  return [...chat.earlierCalls, ...chat.calls].find((made) => made.evidence === evidence);
}
