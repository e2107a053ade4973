import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { forTeam } from '../../src/db/team-filter.ts';
import type { Orm } from '../../src/db/orm.ts';
import { contentDigest, ModelTurn } from '../../src/features/transcripts/index.ts';
import { storeInvestigation } from '../../test/support/investigation-rows.ts';
import { sampleReport } from '../../test/support/report.ts';
import { randomNumbers } from '../support/call-graph.ts';
import { notedFrames, noteFrames } from '../support/page-frames.ts';
import {
  frameFigures,
  framesSample,
  heapMegabytes,
  onPage,
  sinceNavigation,
  type Scene,
  type Size,
  type Visitor,
} from './scene.ts';

const ROWS: Record<Size, number> = { small: 100, large: 10_000 };
/** In the last row only. */
const WORD = 'zanzibar';
/** How the label of the box begins that is scrolled. */
const TEXT = 'Text of result';
const WHEEL_TURNS = 60;
const KEY_PRESSES = 20;
const MAX_TRIES = 200;

/** An investigation that has ended. Two of its tool calls returned the same; the report cites the first. */
export interface CitingInvestigation {
  id: string;
  /** The call that is not cited. */
  otherId: string;
}

/** Stores one whose tool results have so many rows, and whose report cites a row near the end. */
export async function storeCiting(orm: Orm, teamId: string, size: Size): Promise<CitingInvestigation> {
  const [citedId, otherId] = [randomUUID(), randomUUID()];
  const rows = makeRows(ROWS[size]);
  const content = JSON.stringify({ rows });
  const cited = JSON.stringify(rows[rows.length - 10]);
  const sha256 = contentDigest(content);
  const excerpts = [{ text: cited, verified: true, offset: content.indexOf(cited) }];
  const { citations: _, ...report } = sampleReport();
  const ended = new Date();
  const { id } = await storeInvestigation(orm, {
    teamId,
    tool: 'search_logs',
    results: [content, content],
    toolIds: [citedId, otherId],
    row: {
      status: 'completed',
      startedAt: ended,
      finishedAt: ended,
      alertSummary: report.title,
      investigationText: report.summary,
      report: {
        ...report,
        citations: [{ n: 1, evidence: 1, toolCallId: citedId, tool: 'search_logs', sha256, excerpts }],
        unverifiedClaims: [],
      },
    },
  });
  const em = forTeam(orm.em, teamId);
  const tokens = { inputTokens: 100, outputTokens: 10, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
  for (const step of [1, 2]) {
    em.create(ModelTurn, {
      id: randomUUID(),
      teamId,
      conversationId: id,
      step,
      note: null,
      content: [{ type: 'text', text: 'What do the logs say?' }],
      stopReason: 'tool_use',
      provider: 'bench',
      model: 'bench',
      ...tokens,
      costUsd: 0,
      attempt: 1,
      startedAt: ended,
      finishedAt: ended,
    });
  }
  await em.flush();
  return { id, otherId };
}

/** Lines of a log as sources give them, of some 500 bytes each. */
function makeRows(count: number): object[] {
  const random = randomNumbers(3);
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
  return Array.from({ length: count }, (_, at) => ({
    at: new Date(Date.UTC(2026, 0, 1) + at * 250).toISOString(),
    service: `service-${at % 40}`,
    level: random() < 0.1 ? 'error' : 'info',
    message: `request ${at} of customer ${hex(8)} took ${Math.floor(random() * 2_000)} ms ${hex(360)} ${at === count - 1 ? WORD : hex(8)}`,
  }));
}

/** A stored tool result of 10,000 rows: opened where it is cited, scrolled through, searched. */
export function toolResultScene(visitor: Visitor, investigations: Record<Size, CitingInvestigation>): Scene {
  return {
    about: 'a tool result',
    names: { large: 'a tool result of 10,000 rows', small: 'one of 100' },
    figures: [
      { key: 'cited', name: 'opened at a citation near its end', unit: 'ms', most: 3_000 },
      { key: 'first', name: 'opened at its beginning', unit: 'ms', most: 3_000 },
      { key: 'search', name: 'a word of the last row found, with fetching the rest', unit: 'ms', most: 1_000 },
      ...frameFigures('scroll', 'scrolled through'),
      { key: 'heap', name: 'JavaScript heap', unit: 'MB' },
    ],
    async measure(size) {
      const { id, otherId } = investigations[size];
      const whole = await onPage(visitor, async (page) => {
        await page.goto(`/investigation/${id}?citation=1`, { waitUntil: 'commit' });
        await page.locator('mark[data-current]').first().waitFor();
        const cited = await sinceNavigation(page);
        await noteFrames(page);
        await scrollThrough(page);
        const frames = await notedFrames(page);
        return { cited, ...framesSample('scroll', frames), heap: await heapMegabytes(page) };
      });
      const begun = await onPage(visitor, async (page) => {
        await page.goto(`/investigation/${id}?call=${otherId}`, { waitUntil: 'commit' });
        await textOf(page).getByText('request 0 of customer').waitFor();
        const first = await sinceNavigation(page);
        const began = performance.now();
        await page.getByRole('searchbox', { name: 'Search the result' }).fill(WORD);
        await page.getByText('1 of 1', { exact: true }).waitFor();
        await textOf(page).locator('mark').getByText(WORD).waitFor();
        return { first, search: performance.now() - began };
      });
      return { ...whole, ...begun };
    },
  };
}

const textOf = (page: Page) => page.getByRole('region', { name: TEXT });

/** From top to bottom with the wheel, back to the top, then on with keys and to the end. */
async function scrollThrough(page: Page): Promise<void> {
  const text = textOf(page);
  /** Pixels above what is seen, and below it. */
  const hidden = (): Promise<{ above: number; below: number }> =>
    page.evaluate<{ above: number; below: number }>(`(() => {
      const { scrollTop, scrollHeight, clientHeight } = document.querySelector('[aria-label^="${TEXT}"]');
      return { above: scrollTop, below: scrollHeight - clientHeight - scrollTop };
    })()`);
  const pressUntil = async (
    key: string,
    isThere: (now: Awaited<ReturnType<typeof hidden>>) => boolean,
  ): Promise<void> => {
    for (let tries = 0; !isThere(await hidden()); tries++) {
      if (tries === MAX_TRIES) throw new Error(`${key} does not lead there: ${JSON.stringify(await hidden())}`);
      await page.keyboard.press(key);
      await page.waitForTimeout(50);
    }
  };
  await text.hover();
  await text.focus();
  await pressUntil('Home', ({ above }) => above === 0);
  const turn = (await hidden()).below / WHEEL_TURNS;
  for (let turns = 0; turns < WHEEL_TURNS; turns++) {
    await page.mouse.wheel(0, turn);
    await page.waitForTimeout(16);
  }
  await pressUntil('Home', ({ above }) => above === 0);
  for (let presses = 0; presses < KEY_PRESSES; presses++) await page.keyboard.press('PageDown');
  await pressUntil('End', ({ below }) => below < 2);
}
