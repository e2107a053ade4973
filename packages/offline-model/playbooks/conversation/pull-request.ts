/** Suggests the revert of a commit as a pull request. */
import { call, jsonOf, lastCall, rowsOf, textOf } from '../calls.ts';
import { cite, failureOf, listed, name, paragraphs, quote } from '../wording.ts';
import { has, type Chat, type Play } from './chat.ts';

const SUGGEST = 'suggest_pr';
export const COMMIT = /\b[\da-f]{7,40}\b/;

export function pullRequestPlay(chat: Chat): Play {
  const { text } = chat.question;
  const { repositories } = chat.situation;
  const commit = COMMIT.exec(text)?.[0];
  const repository =
    repositories.find((one) => text.includes(one)) ?? (repositories.length === 1 ? repositories[0] : undefined);
  const suggested = lastCall(chat, SUGGEST);
  return {
    next() {
      if (suggested || commit === undefined || repository === undefined) return undefined;
      const title = `Revert ${commit.slice(0, 10)}`;
      return {
        text: `Checking the revert of ${commit.slice(0, 10)} in ${name(repository)}.`,
        calls: [call(SUGGEST, { repository, title, revert_commit: commit })],
      };
    },
    answer() {
      if (!has(chat, SUGGEST)) return 'No repository is connected, so I cannot suggest a pull request.';
      if (commit === undefined)
        return 'Which commit is to be reverted? The offline model suggests reverts only: “Open a pull request that reverts 1a2b3c4d.”';
      if (repository === undefined) return `In which repository? There are ${listed(repositories.map(name), 10)}.`;
      if (!suggested) return 'The revert was not checked.';
      if (suggested.isError)
        return paragraphs(`It cannot be reverted: ${failureOf(suggested)}${cite(suggested)}.`, problems());
      const result = jsonOf(suggested);
      const files = rowsOf(result, 'files').map((file) => quote(textOf(file, 'path'), 200));
      return paragraphs(
        `The revert of ${quote(commit.slice(0, 10), 20)} in ${name(repository)} applies to ${name(textOf(result, 'base'))}, and changes ${listed(files, 5)}${cite(suggested)}.`,
        'Nothing is opened yet: read the diff, then choose “Open pull request”.',
      );
    },
  };

  function problems(): string {
    const found = suggested ? rowsOf(jsonOf(suggested), 'problems') : [];
    return found
      .slice(0, 3)
      .map((one) => quote([textOf(one, 'path'), textOf(one, 'problem')].filter(Boolean).join(': '), 300))
      .join('; ');
  }
}
