import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { ScriptedStep } from '../support/scripted-model/index.ts';
import { listSources, reportInput } from '../support/scripts.ts';
import { assertAccessible, startWeb, type Visit, type Web } from '../support/web/index.ts';

const HOSTILE = [
  '<img src=x onerror="document.title=1"><script>document.title=1</script>',
  '<svg onload="document.title=1"><a href="javascript:document.title=1">a</a></svg>',
  '[run](javascript:document.title=1) [data](data:text/html,<script>1</script>) ![pixel](https://example.com/p.png)',
  'The pool is exhausted [1].',
].join('\n\n');

const submit = (input = reportInput()): ScriptedStep => ({
  text: 'I have it.',
  toolUses: [{ name: 'submit_report', input }],
});
const plan: ScriptedStep = {
  thinking: 'First I need to know where to look.',
  text: 'I begin with what is there.',
  toolUses: [
    {
      name: 'update_plan',
      input: {
        items: [
          { text: 'List the sources', status: 'in_progress' },
          { text: 'Write the report', status: 'pending' },
        ],
      },
    },
    ...(listSources.toolUses ?? []),
  ],
};
const held = (gate: string, text: string): ScriptedStep => ({
  text,
  deltaCharacters: 10,
  hold: { gate, at: 'middle' },
});
const reportOn = (gate: string): ScriptedStep => ({
  ...held(gate, 'The sources tell me enough to write the report now.'),
  ...submit(reportInput({ citations: [{ n: 1, evidence: 2, excerpts: ['"sources":'] }] })),
  text: 'The sources tell me enough to write the report now.',
});

/** What the model says to a question that begins with the name; the same answer beyond the last. */
const CASES: Record<string, (attempt: number) => ScriptedStep[]> = {
  'watched:': () => [plan, reportOn('watched'), reportOn('watched')],
  'scrolled on 1280:': () => [plan, reportOn('1280')],
  'scrolled on 390:': () => [plan, reportOn('390')],
  'cancelled:': () => [plan, held('never', 'Let me think about that for a while.')],
  'repeated:': (attempt) => [
    attempt === 0
      ? { text: 'Words of an answer that breaks off, and are taken back.', cut: 'middle' }
      : held('repeated', 'Other words, which are said in the second attempt.'),
  ],
  'hostile:': () => [
    { ...listSources, text: HOSTILE },
    submit(
      reportInput({
        title: '<img src=x onerror="document.title=1"> exhausted',
        summary: HOSTILE,
        root_cause: { service: '<b>payment</b>', statement: HOSTILE },
        impact: HOSTILE,
      }),
    ),
  ],
};

describe('the page of an investigation while it runs', () => {
  let web: Web;
  before(async () => {
    web = await startWeb({
      script: ({ turn, attempt, request }) => {
        const said = JSON.stringify(request.messages[0]);
        const [, steps] = Object.entries(CASES).find(([name]) => said.includes(name)) ?? [];
        const answers = steps?.(attempt) ?? [];
        return answers[Math.min(turn, answers.length - 1)] ?? {};
      },
    });
  });
  after(() => web?.stop());

  async function begin(query: string, options?: Parameters<Web['visit']>[1]): Promise<Visit & { id: string }> {
    const { investigation_id: id } = await web.call<{ investigation_id: string }>('POST', '/api/v1/investigate', {
      query,
    });
    return { ...(await web.visit(`/investigation/${id}`, options)), id };
  }
  const step = (page: Page, number: number) =>
    page.locator('#steps li').filter({ has: page.getByRole('heading', { name: `Step ${number}` }) });

  it('shows plan, steps and tool calls as they come, the same after a reload, takes a message, and ends with the report', async () => {
    const { page, end } = await begin('watched: why are payments slow?');
    const shows = async (): Promise<void> => {
      await page.getByText('0 of 2 done', { exact: true }).waitFor();
      await step(page, 1).getByText('I begin with what is there.').waitFor();
      await step(page, 1).getByText('Reasoning').waitFor();
      await step(page, 1)
        .getByRole('button', { name: /^Done List the telemetry sources/ })
        .waitFor();
      await step(page, 2)
        .getByText(/^The sources tell/)
        .waitFor();
      await page.getByRole('heading', { name: 'The model is calling submit_report' }).waitFor();
    };
    await shows();
    await assertAccessible(page);
    await page.reload();
    await shows();

    await page.getByLabel('Add information').fill('It began after the deploy.');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Waiting for the next step').waitFor();
    assert.equal(await page.getByLabel('Add information').inputValue(), '');

    await step(page, 1)
      .getByRole('button', { name: /^Done List/ })
      .click();
    await page.getByRole('dialog', { name: 'Evidence 2' }).getByText('"sources"').first().waitFor();
    await page.keyboard.press('Escape');

    web.cluster.model.release('watched');
    await page.getByRole('region', { name: 'Cause' }).getByText('The pool of payment is exhausted').waitFor();
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByText('Read in step 3').waitFor();
    const announced = page.locator('[aria-live=polite]').filter({ hasText: 'The investigation is complete.' });
    await announced.first().waitFor({ state: 'attached' });
    assert.equal(await page.title(), 'payment: connection pool exhausted · Casebook');
    await end();
  });

  it('keeps the reading position when the report arrives, and offers to jump to it', async () => {
    for (const viewport of [
      { width: 1280, height: 420 },
      { width: 390, height: 420 },
    ]) {
      const { page, end } = await begin(`scrolled on ${viewport.width}: why are payments slow?`, { viewport });
      await step(page, 1)
        .getByRole('button', { name: /^Done List/ })
        .waitFor();
      await step(page, 2)
        .getByText(/^The sources tell/)
        .waitFor();
      // The Tab key goes the way that the eye goes: on a phone, what is above comes first.
      const parts = page.locator('#steps, aside[aria-label="About this run"]');
      const tops = await parts.evaluateAll((found) => found.map((part) => part.getBoundingClientRect().top));
      assert.equal(tops.length, 2);
      assert.ok((tops[0] ?? Infinity) <= (tops[1] ?? 0), `the parts of the page stand at ${tops.join(' and ')}`);
      const heading = page.getByRole('heading', { name: 'Step 1' });
      await heading.evaluate((element) => element.scrollIntoView({ block: 'start' }));
      const place = async (): Promise<number> => Math.round((await heading.boundingBox())?.y ?? Number.NaN);
      const before = await place();
      web.cluster.model.release(String(viewport.width));
      const offer = page.getByRole('button', { name: 'The report is ready' });
      await offer.waitFor();
      assert.ok(Math.abs((await place()) - before) <= 2, `it was at ${before} and is at ${await place()}`);
      await offer.click();
      await page.waitForFunction(() => document.activeElement?.textContent === 'Cause' && scrollY === 0);
      await end();
    }
  });

  it('is cancelled after asking, and keeps what it had found', async () => {
    const { page, end } = await begin('cancelled: why are payments slow?');
    await step(page, 2)
      .getByText(/^Let me/)
      .waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    const asking = page.getByRole('alertdialog', { name: 'Stop this investigation?' });
    await asking.getByRole('button', { name: 'Keep running' }).click();
    await asking.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Stop' }).click();
    await asking.getByRole('button', { name: 'Stop investigation' }).click();
    await page.getByRole('heading', { name: 'Cancelled', exact: true }).waitFor();
    await page.getByText(/kept in Activity: 2 tool results/).waitFor();
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.locator('#steps summary').first().click();
    await page
      .locator('#steps')
      .getByRole('button', { name: /^Done List/ })
      .waitFor();
    await assertAccessible(page);
    await end();
  });

  it('takes back the words of an answer that broke off', async () => {
    const { page, end, id } = await begin('repeated: why are payments slow?');
    await step(page, 1)
      .getByText(/^Other words/)
      .waitFor();
    assert.equal(await page.getByText('Words of an answer').count(), 0);
    await page.reload();
    await step(page, 1)
      .getByText(/^Other words/)
      .waitFor();
    assert.equal(await page.getByText('Words of an answer').count(), 0);
    await web.call('POST', `/api/investigations/${id}/cancel`);
    await page.getByRole('heading', { name: 'Cancelled', exact: true }).waitFor();
    await end();
  });

  it('says so when the connection is lost, and loses nothing', async () => {
    const { page, end } = await begin('cancelled: why are orders slow?', { expected: [/ERR_FAILED/] });
    let isAway = true;
    await page.route('**/events*', (route) => (isAway ? route.abort() : route.continue()));
    await page.reload();
    await page.getByText('Reconnecting…').waitFor();
    isAway = false;
    await page.getByText('Reconnecting…').waitFor({ state: 'hidden' });
    await step(page, 2)
      .getByText(/^Let me/)
      .waitFor();
    await end();
  });

  it('runs nothing that a model wrote, and loads nothing from elsewhere', async () => {
    const { page, end, id } = await begin('hostile: why are payments slow?');
    await page.getByRole('region', { name: 'Cause' }).waitFor();
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(web.url)) foreign.push(request.url());
    });
    await page.goto(`/investigation/${id}?citation=1`);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.locator('#steps summary').first().click();
    assert.match(await page.title(), /^<img src=x onerror="document.title=1"> exhausted/);
    assert.equal(await page.locator('main img, main script, main svg[onload], main a[href^="javascript:"]').count(), 0);
    assert.deepEqual(foreign, []);
    await end();
  });
});
