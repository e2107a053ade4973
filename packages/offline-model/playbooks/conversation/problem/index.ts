/** A question about a problem: the steps of an investigation as calls of the chat, then a cited answer in words. */
import type { Turn } from '../../../decide.ts';
import type { CaseFile } from '../../investigation/case-file.ts';
import { conclude } from '../../investigation/conclusion.ts';
import { aroundOnset } from '../../investigation/examine.ts';
import { call, nextStep } from '../../investigation/gather.ts';
import { chooseSources, isLive, usableSources } from '../../investigation/sources.ts';
import { name } from '../../investigation/statements.ts';
import type { Chat } from '../chat.ts';
import { lastService } from '../earlier.ts';
import type { Plan } from '../replay.ts';
import { serviceIn } from '../services.ts';
import { saysWhat, subjectOf, systemOf, type Subject } from '../subject.ts';
import { subjectWords, withSymptom } from '../vocabulary.ts';

const LOG_LINES = 20;

/** What stands in the way of an investigation, if anything. */
type Obstacle = 'no source' | 'which one' | 'unknown subject';

/**
 * @param chat its question is the problem, also where it was asked earlier
 * @param can whether a tool may be called
 */
export function problemPlan(chat: Chat, can: (tool: string) => boolean): Plan {
  return {
    query: withSymptom(chat.question.text),
    settle: (file) => {
      const subject = subjectOf(chat, file, false);
      return (
        subject && { source: subject.source.id, why: subject.why, at: subject.at, hint: hintFor(chat, file, subject) }
      );
    },
    next(file) {
      const first = firstLook(chat, file, can);
      if (first !== 'settled') return first;
      const step = nextStep(file, can);
      return step.done ? readQuietLogs(file, can) : { text: narration(file, step), calls: step.calls };
    },
  };
}

/**
 * What the question leaves out: the service that `it` means, and where no symptom is named that of the source's first
 * alert, since the metric decides what onset is found.
 */
function hintFor(chat: Chat, file: CaseFile, { source }: Subject): string | undefined {
  const { text } = chat.question;
  const service = /\b(?:it|its)\b/i.test(text) ? lastService(chat, systemOf(file, source)) : undefined;
  const metric = withSymptom(text) === text ? source.alerts[0]?.metric : undefined;
  const hint = [service, metric].filter((one) => one !== undefined).join('\n');
  return hint === '' ? undefined : hint;
}

/** @returns why no cause can be looked for; undefined when one can */
export function obstacle(chat: Chat, file: CaseFile): Obstacle | undefined {
  const subject = subjectOf(chat, file, false);
  if (!subject) return 'no source';
  const recordings = usableSources(file.sources).length;
  if (!saysWhat(chat.question.text)) {
    return subject.pointed || subject.stays || recordings === 1 || isLive(subject.source) ? undefined : 'which one';
  }
  return isKnown(chat, file, subject) === false ? 'unknown subject' : undefined;
}

function firstLook(chat: Chat, file: CaseFile, can: (tool: string) => boolean): Turn | undefined | 'settled' {
  if (!file.sources) {
    const calls = can('list_sources') && file.failures.length === 0 ? [call('list_sources', {})] : [];
    return calls.length > 0 ? { text: 'I look at which telemetry sources there are.', calls } : undefined;
  }
  const subject = subjectOf(chat, file, false);
  if (!subject) return undefined;
  if (isKnown(chat, file, subject) === undefined && can('list_services')) {
    const text = `I list the services of ${name(subject.source.id)} to see what this is about.`;
    return { text, calls: [call('list_services', { source: subject.source.id })] };
  }
  return obstacle(chat, file) === undefined ? 'settled' : undefined;
}

/** Whether the sources know what the question is about; undefined while the services were not listed. */
function isKnown({ question }: Chat, file: CaseFile, subject: Subject): boolean | undefined {
  if (subject.pointed || subjectWords(question.text).length === 0) return true;
  const { services, failures } = file;
  if (services) return serviceIn(question.text, services.result.services) !== undefined;
  const listable = subject.source.capabilities.includes('services');
  return listable && !failures.some(({ tool }) => tool === 'list_services') ? undefined : true;
}

function narration(file: CaseFile, step: { stage?: number } & Turn): string {
  const source = name(chooseSources(file)?.primary.id ?? '');
  if (step.stage === undefined) return `I list the services of ${source} to see whose symptom this is.`;
  if (step.stage === 2) return 'I rank the possible causes over all services.';
  const [first] = step.calls;
  return step.stage === 1 && file.metrics ? `I read its ${name(String(first?.input['metric']))}.` : step.text;
}

/** A cause that logs no new errors or warnings may still tell something in its other lines. */
function readQuietLogs(file: CaseFile, can: (tool: string) => boolean): Turn | undefined {
  const { cause, findings } = conclude(file);
  const source = chooseSources(file)?.logs;
  if (!cause || !source || findings.length > 0 || !can('search_logs')) return undefined;
  const input = { source: source.id, service: cause.service, ...aroundOnset(file), limit: LOG_LINES };
  return {
    text: `The errors and warnings of ${name(cause.service)} tell nothing new, so I read its other lines.`,
    calls: [call('search_logs', input)],
  };
}
