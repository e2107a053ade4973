import * as wf from '@temporalio/workflow';
import type { ChatActivities } from '../activities/chats.ts';
import type {
  ChatTurnRef,
  ChatTurnWorkflowInput,
  ChatTurnWorkflowResult,
  FinishChatTurnInput,
} from '../src/features/chats/contract.ts';
import { outcomeAttribute } from '../temporal/search-attributes.ts';
import { BOOKKEEPING } from './bookkeeping.ts';
import { createAgentRun, endingOf } from './runs.ts';
import { timing } from './timing.ts';

const { finishChatTurn } = wf.proxyActivities<Pick<ChatActivities, 'finishChatTurn'>>({
  ...BOOKKEEPING,
  // The answer is searched for evidence, and an edit becomes a commit.
  startToCloseTimeout: '120s',
  heartbeatTimeout: timing.heartbeatTimeout,
});

/** A chat without a title does no harm: a few attempts. */
const { nameChat } = wf.proxyActivities<Pick<ChatActivities, 'nameChat'>>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: timing.heartbeatTimeout,
  retry: { initialInterval: timing.firstRetry, maximumAttempts: 4 },
});

/**
 * One chat turn: the agent loop on the question, and a recorded end whatever happens. No activity precedes the first
 * model turn, because a person is waiting for its first word.
 */
export async function chatTurn(input: ChatTurnWorkflowInput): Promise<ChatTurnWorkflowResult> {
  const { turnId, chatId, teamId, title, startAfter, contextTokens, budget, carried } = input;
  const ref = { turnId, chatId, teamId };
  const run = createAgentRun({
    identity: { kind: 'chat', conversationId: chatId, teamId, runId: turnId },
    budget,
    title,
    carried,
    startAfter,
    contextTokens,
    answersInWords: true,
    continueAsNew: (next) => wf.continueAsNew<typeof chatTurn>({ ...input, carried: next }),
  });
  const { state } = run;
  const finish: FinishChatTurnInput = { ...ref, ...endingOf(await run.untilEnded()) };
  state.phase = 'recording';
  const result = await wf.CancellationScope.nonCancellable(() =>
    finishChatTurn.executeWithOptions({ summary: `Record the answer: ${finish.outcome}` }, [finish]),
  );
  state.phase = 'finished';
  state.know(result.digest);
  wf.upsertSearchAttributes([{ key: outcomeAttribute, value: result.status }]);
  if (input.wantsTitle && result.status === 'completed') await name(ref, state.know.bind(state));
  wf.setCurrentDetails(state.details(title));
  if (result.status === 'failed') throw wf.ApplicationFailure.nonRetryable(result.digest, 'ChatTurnFailed');
  return { status: result.status };
}

async function name(ref: ChatTurnRef, say: (line: string) => void) {
  try {
    const named = await wf.CancellationScope.nonCancellable(() =>
      nameChat.executeWithOptions({ summary: 'Name the chat' }, [ref]),
    );
    if (named.title) say(`named "${named.title}"`);
  } catch {
    say('the first question stays the title');
  }
}
