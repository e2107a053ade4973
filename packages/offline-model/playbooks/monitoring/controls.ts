/** Pause, resume, remove, run and test. */
import type { Turn } from '../../decide.ts';
import { callsOf, isRecord } from '../conversation/calls.ts';
import type { Chat } from '../conversation/chat.ts';
import { bullets, cite, failureOf, listed, paragraphs } from '../conversation/wording.ts';
import { call } from '../investigation/gather.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { parsePartialJson } from '../investigation/partial-json.ts';
import { quote } from '../investigation/statements.ts';
import { currentPlan, textOf, type CurrentCheck } from './current-plan.ts';
import { readFirst, updates, updating, type Can, type Play } from './play.ts';
import type { Request } from './request.ts';
import { meansAll, selectChecks } from './selection.ts';
import { titled } from './words.ts';

const RUN = 'run_check_now';
const TEST = 'test_monitoring_check';
const MOST_TESTED = 6;
const NO_SCOPE = 'This chat may not do that: the key needs the scope monitoring:write.';

export function togglePlay(chat: Chat, can: Can, active: boolean): Play {
  const next = (file: CaseFile): Turn | undefined => {
    const first = readFirst(file, can);
    if (first) return first;
    const made = updates(file);
    if (!can('update_monitoring_plan') || made.accepted || made.refused.length > 0) return undefined;
    return currentPlan(file)?.active === active
      ? undefined
      : updating(chat, active ? 'I resume.' : 'I pause.', { active });
  };
  return {
    plan: { query: '', next },
    answer(file) {
      const { accepted, refused } = updates(file);
      const plan = currentPlan(file);
      const count = plan?.checks.length ?? 0;
      const checks = `${count} ${count === 1 ? 'check' : 'checks'}`;
      if (refused[0])
        return `I could not ${active ? 'resume' : 'pause'}: ${failureOf(refused[0].call)}${cite(refused[0].call)}.`;
      if (!accepted && plan?.active === active)
        return active
          ? `I am active already, with ${checks}${cite(plan.call)}.`
          : `I am paused already${cite(plan.call)}. Say “resume” to go on.`;
      if (!accepted) return can('update_monitoring_plan') ? 'I had to answer before I could do that.' : NO_SCOPE;
      if (active)
        return count === 0
          ? `I am active again${cite(accepted)}, but there is nothing to watch yet: tell me what.`
          : `I watch again: ${checks}${cite(accepted)}.`;
      return `**Paused**${cite(accepted)}. No check runs until you say “resume”; the plan stays as it is. To end the agent for good, delete it (DELETE /api/monitoring-chat/{chat_id}).`;
    },
  };
}

/** Takes checks out of the plan, or switches them off and on. */
export function removePlay(chat: Chat, can: Can, request: Extract<Request, { kind: 'remove' | 'toggle' }>): Play {
  const next = (file: CaseFile): Turn | undefined => {
    const first = readFirst(file, can);
    if (first) return first;
    const made = updates(file);
    if (!can('update_monitoring_plan') || made.accepted || made.refused.length > 0) return undefined;
    const patches = patchesFor(file, request);
    if (patches.length === 0) return undefined;
    return updating(chat, patches.length === 1 ? 'I change the plan.' : `I change ${patches.length} checks.`, {
      patch: { checks: patches.map(({ patch }) => patch) },
    });
  };
  return {
    plan: { query: '', next },
    answer(file) {
      const { accepted, refused } = updates(file);
      if (refused[0]) return `**Nothing is changed:** ${failureOf(refused[0].call)}${cite(refused[0].call)}.`;
      const patches = patchesFor(file, request);
      if (!accepted && patches.length > 0)
        return can('update_monitoring_plan') ? 'I had to answer before I could change the plan.' : NO_SCOPE;
      if (!accepted)
        return paragraphs(
          `None of my checks is that (${quote(request.of, 80)}), so nothing is changed.`,
          checkList(file),
        );
      const lines = patches.map(({ check, done }) => `**${titled(check.title)}** (\`${check.id}\`): ${done}.`);
      const left =
        (currentPlan(file)?.checks.length ?? 0) - patches.filter(({ patch }) => patch['remove'] === true).length;
      return paragraphs(`Done${cite(accepted)}:`, bullets(lines), left === 0 ? 'I watch nothing now.' : '');
    },
  };
}

function patchesFor(
  file: CaseFile,
  request: Extract<Request, { kind: 'remove' | 'toggle' }>,
): { check: CurrentCheck; patch: Record<string, unknown>; done: string }[] {
  const checks = currentPlan(file)?.checks ?? [];
  const { checks: found, named, services } = selectChecks(request.of, checks);
  const isAll = request.kind === 'remove' ? request.everything : meansAll(request.of);
  const isIt = /^(?:it|that|this|the check|that one|this one)[\s.!]*$/iu.test(request.of.trim()) && checks.length === 1;
  const meant = named ? found : isAll || isIt ? [...checks] : [];
  return meant.map((check) => {
    if (request.kind === 'toggle')
      return {
        check,
        patch: { id: check.id, enabled: request.enabled },
        done: request.enabled ? 'runs again' : 'does not run until you enable it',
      };
    const watched: unknown[] = Array.isArray(check.check['services']) ? check.check['services'] : [];
    const rest = watched.filter((one) => typeof one === 'string' && !services.includes(one));
    if (services.length > 0 && rest.length > 0 && rest.length < watched.length) {
      const patch = {
        id: check.id,
        title: `Health of ${rest.join(', ')}`.slice(0, 160).toWellFormed(),
        check: { type: check.check.type, services: rest },
      };
      return { check, patch, done: `no longer about ${listed(services.map((one) => titled(one)))}` };
    }
    return { check, patch: { id: check.id, remove: true }, done: 'removed' };
  });
}

/** Has checks run outside of their schedule. */
export function runPlay(can: Can, of: string): Play {
  const next = (file: CaseFile): Turn | undefined => {
    const first = readFirst(file, can);
    if (first) return first;
    const { checks } = currentPlan(file) ?? { checks: [] };
    if (checks.length === 0 || !can(RUN) || callsOf(file, RUN).length > 0) return undefined;
    const selected = selectChecks(of, checks);
    if (selected.named && selected.checks.length === 0) return undefined;
    const ids = selected.named ? { check_ids: selected.checks.map(({ id }) => id) } : {};
    return { text: 'I have them run now.', calls: [call(RUN, ids)] };
  };
  return {
    plan: { query: '', next },
    answer(file) {
      const [made] = callsOf(file, RUN);
      if (made?.isError) return `They could not be run: ${failureOf(made)}${cite(made)}.`;
      if (!made) {
        if ((currentPlan(file)?.checks.length ?? 0) === 0)
          return 'There is no check to run yet: tell me what to watch.';
        return can(RUN) ? paragraphs(`None of my checks is that (${quote(of, 80)}).`, checkList(file)) : NO_SCOPE;
      }
      const value: unknown = parsePartialJson(made.body);
      const started =
        isRecord(value) && Array.isArray(value['started'])
          ? value['started'].filter((one) => typeof one === 'string')
          : [];
      return `Running now: ${listed(
        started.map((id) => `\`${id}\``),
        10,
      )}${cite(made)}. Ask “how did the last runs go?” in a moment.`;
    },
  };
}

/** What checks would say now, without anything being stored. */
export function testPlay(can: Can, of: string): Play {
  const tested = (file: CaseFile): CurrentCheck[] => {
    const { checks } = currentPlan(file) ?? { checks: [] };
    const selected = selectChecks(of, checks);
    return (selected.named ? selected.checks : checks)
      .filter(({ check }) => check.type !== 'instruction')
      .slice(0, MOST_TESTED);
  };
  const next = (file: CaseFile): Turn | undefined => {
    const first = readFirst(file, can);
    if (first) return first;
    if (!can(TEST) || callsOf(file, TEST).length > 0) return undefined;
    const calls = tested(file).map(({ check }) => call(TEST, { check }));
    return calls.length > 0 ? { text: 'I try them once; nothing is stored and nobody is told.', calls } : undefined;
  };
  return {
    plan: { query: '', next },
    answer(file) {
      const made = callsOf(file, TEST);
      const checks = tested(file);
      if (made.length === 0) {
        if (!can(TEST)) return 'This chat is not offered the tool that tests checks (test_monitoring_check).';
        return paragraphs('There is nothing that I can test: instruction checks can only be run.', checkList(file));
      }
      const lines = made.map((one, index) => {
        const title = `**${titled(checks[index]?.title ?? 'Check')}**`;
        if (one.isError) return `${title}: ${failureOf(one)}${cite(one)}.`;
        const value: unknown = parsePartialJson(one.body);
        const row = isRecord(value) ? value : {};
        const words: Record<string, string> = {
          ok: 'nothing found',
          finding: 'would be a finding',
          failed: 'cannot say',
        };
        return `${title}: ${words[textOf(row, 'status') ?? ''] ?? 'tested'}: ${quote(textOf(row, 'summary') ?? '', 200)}${cite(one)}.`;
      });
      return paragraphs(
        'This is what the checks would say now; nothing was stored, and nobody was told:',
        bullets(lines),
      );
    },
  };
}

export function checkList(file: CaseFile): string {
  const plan = currentPlan(file);
  if (!plan) return '';
  if (plan.checks.length === 0) return `I watch nothing yet${cite(plan.call)}.`;
  return `My checks are ${listed(
    plan.checks.map(({ id, title }) => `${titled(title)} (\`${id}\`)`),
    10,
  )}${cite(plan.call)}.`;
}
