import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { runStream } from '../../src/features/runs/events.ts';
import type { EventLog } from '../../src/platform/event-log/index.ts';
import { notedFrames, noteFrames } from '../support/page-frames.ts';
import { commitRunningTurns } from '../support/running-turns.ts';
import { frameFigures, framesSample, onPage, type Scene, type Size, type Visitor } from './scene.ts';

/** Length of the answer before the page is opened, in characters. */
const BEFORE: Record<Size, number> = { small: 1_000, large: 47_000 };
const DELTAS = 60;
const EVERY_MS = 50;
/** More than one event holds little of. */
const CHUNK = 4_000;

const PARAGRAPH = `### What was seen

The p95 of **checkout** rose from 120 ms to 2.4 s at 10:42, while its rate of requests stayed as it was. Of the services
that it calls, only \`payments\` became slower in the same minute:

- \`payments\`: p95 from 80 ms to 2.1 s, errors from 0 to 3%
- \`inventory\`: as before
- \`postgres\`: as before, with 14 of 200 connections in use

| service  | p95 before | p95 after |
| -------- | ---------- | --------- |
| checkout | 120 ms     | 2.4 s     |
| payments | 80 ms      | 2.1 s     |

`;

/** The end of an answer of 50 kB as it comes, 20 deltas a second. Nothing runs the turn: its words are put in the log. */
export function chatAnswerScene(
  visitor: Visitor,
  { database, log, teamId }: { database: Client; log: EventLog; teamId: string },
): Scene {
  return {
    about: 'an answer that comes',
    names: { large: 'the end of an answer of 50 kB as it comes, 20 deltas/s', small: 'of one of 4 kB' },
    figures: [
      ...frameFigures('chat', 'while it comes'),
      { key: 'delay', name: 'its last words, until they are drawn', unit: 'ms', most: 1_000 },
    ],
    async measure(size) {
      const [turn] = await commitRunningTurns(database, teamId, 1);
      if (turn === undefined) throw new Error('No turn was made.');
      const stream = runStream({ conversationId: turn.chatId, runId: turn.turnId });
      const base = { step: 1, attempt: 1, nonce: randomUUID() };
      let written = 0;
      const write = async (text: string): Promise<void> => {
        await log.append(stream, [
          { type: 'text.delta', key: `delta:${base.nonce}:${written++}`, data: { ...base, text } },
        ]);
      };
      await log.append(stream, [
        { type: 'turn.started', key: `turn:${base.nonce}`, data: { ...base, model: 'bench' } },
      ]);
      const before = PARAGRAPH.repeat(Math.ceil(BEFORE[size] / PARAGRAPH.length));
      for (let from = 0; from < before.length; from += CHUNK) await write(before.slice(from, from + CHUNK));
      await write('\n\nThe rest follows.\n\n');
      return await onPage(visitor, async (page) => {
        await page.goto(`/chat/${turn.chatId}`);
        await page.getByText('The rest follows.').waitFor();
        await noteFrames(page);
        const began = performance.now();
        for (let delta = 0; delta < DELTAS; delta++) {
          await write(`${delta}: and so the checkout of the shop waits; `);
          await sleep(Math.max(0, began + (delta + 1) * EVERY_MS - performance.now()));
        }
        const ended = performance.now();
        await write('that is all there is to say.\n');
        await page.getByText('that is all there is to say.').waitFor();
        const delay = performance.now() - ended;
        return { ...framesSample('chat', await notedFrames(page)), delay };
      });
    },
  };
}
