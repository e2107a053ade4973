/** axe-core in the page that is open. */
import assert from 'node:assert/strict';
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** What WCAG 2.2 asks for at level AA, and what axe thinks good practice. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Fails with every violation that axe finds in the page as it is now.
 * @param options.without rules that do not apply here; say why where you leave one out
 */
export async function assertAccessible(page: Page, options: { without?: string[] } = {}): Promise<void> {
  // Evaluated by the debugger, which the page's own policy does not bind.
  await page.evaluate(axe.source);
  const rules = Object.fromEntries((options.without ?? []).map((rule) => [rule, { enabled: false }]));
  const { violations } = await page.evaluate(
    async (run): Promise<AxeResults> => await (globalThis as unknown as { axe: typeof axe }).axe.run(run),
    { runOnly: TAGS, rules },
  );
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html.slice(0, 300)}\n  ${failureSummary}`),
  );
  assert.deepEqual(found, [], `axe at ${page.url()}`);
}
