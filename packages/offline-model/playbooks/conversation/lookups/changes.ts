import { onsetOf } from '../../investigation/conclusion.ts';
import { call } from '../../investigation/gather.ts';
import { quote } from '../../investigation/statements.ts';
import { changeName } from '../problem/facts.ts';
import { bullets, cite, clock, day, failureOf, name, paragraphs, sentence } from '../wording.ts';
import { askedOf, given } from '../calls.ts';
import { caseOf } from '../earlier.ts';
import type { Lookup } from './lookup.ts';
import { assumed } from './target.ts';

const MOST_CHANGES = 30;
const MOST_SHOWN = 10;
const NEAR_MS = 30 * 60_000;

export const changes: Lookup = {
  what: 'recent changes',
  tool: 'recent_changes',
  part: 'changes',
  calls(chat, _file, { service, named, window }, source) {
    const ofOne = named || asksForOne(chat.question.text);
    return [
      call('recent_changes', {
        source,
        service: ofOne ? service : undefined,
        ...window,
        limit: MOST_CHANGES,
      }),
    ];
  },
  answer(chat, file, target) {
    const { source } = target;
    const found = file.changes.at(-1);
    if (!found) {
      const failed = file.failures.find(({ tool }) => tool === 'recent_changes');
      return failed
        ? `The changes in ${name(source.id)} could not be read: ${failureOf(failed)}${cite(failed)}.`
        : `The changes in ${name(source.id)} were not read.`;
    }
    const { result } = found;
    const service = given(found.call, 'service');
    const of = service === undefined ? '' : ` of ${name(service)}`;
    const window = `${day(result.window.from)} ${clock(result.window.from)} to ${day(result.window.to)} ${clock(result.window.to)} UTC`;
    if (result.changes.length === 0) {
      return paragraphs(
        assumed(target),
        `No change${of} is recorded in ${name(result.source)}, ${window}${cite(found.call)}.`,
      );
    }
    const ranking = caseOf(askedOf([...chat.earlierCalls, ...chat.calls], target.system));
    const onset = onsetOf(ranking);
    const lines = result.changes.slice(0, MOST_SHOWN).map((change) => {
      const before = Date.parse(onset ?? '') - Date.parse(change.at);
      const near =
        before >= -60_000 && before <= NEAR_MS
          ? ` It came shortly before the onset at ${clock(onset ?? '')}${cite(ranking.ranking?.call)}.`
          : '';
      const who = change.author ? `, by ${name(change.author)}` : '';
      return `${sentence(`${clock(change.at)} ${changeName(change)}${change.service ? ` of ${name(change.service)}` : ''}: ${quote(change.summary, 160)} (${name(change.id)}${who})${cite(found.call)}`)}${near}`;
    });
    const more =
      result.truncated || result.changes.length > MOST_SHOWN
        ? 'There are more; give a service or a time to see them.'
        : '';
    const note = onset ? 'That a change came shortly before the onset makes it a suspect, not the cause.' : '';
    return paragraphs(
      assumed(target),
      `**Changes${of}** in ${name(result.source)}, ${window}${cite(found.call)}, newest first:`,
      bullets(lines),
      more,
      note,
    );
  },
};

/** `show me the changes` after an answer about one service means those of all; `its changes` does not. */
function asksForOne(question: string): boolean {
  return /\b(?:its|of it|to it|that service)\b/i.test(question);
}
