/** What a page does a moment after it was asked to: waited for, so that a slow machine is only slow. */
import type { Locator, Page } from 'playwright-core';
import { waitUntil } from '../wait-until.ts';

/** Longer than a machine stands still. */
export const PATIENCE_MS = 90_000;

/** Waits until the element has the focus. */
export async function untilFocused(element: Locator): Promise<void> {
  await element.and(element.page().locator(':focus')).waitFor();
}

/** Waits until all of an element is in the graph around it. */
export async function untilInView(element: Locator): Promise<void> {
  const isInside = (node: Element): boolean => {
    const [inner, outer] = [node, node.closest('.react-flow')].map((each) => each?.getBoundingClientRect());
    return inner !== undefined && outer !== undefined && inner.left >= outer.left && inner.right <= outer.right;
  };
  await waitUntil(async () => (await element.evaluate(isInside)) || undefined, { what: 'a service in view' });
}

/** Waits for words that go by themselves after some seconds: from before what brings them about. */
export async function untilSaid(page: Page, text: string | RegExp, act: () => Promise<unknown>): Promise<void> {
  const said = page.getByText(text, { exact: true }).first().waitFor();
  await Promise.all([said, act()]);
}

/** Presses a button that copies. @returns what is on the clipboard then */
export async function copiedBy(button: Locator): Promise<string> {
  const page = button.page();
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await button.click();
  const copied = await page.waitForFunction(() => navigator.clipboard.readText());
  return copied.jsonValue();
}
