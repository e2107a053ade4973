/** A page as it is met: on a desk and on a narrow phone, in both themes. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { assertAccessible } from './accessibility.ts';

const DESK = { width: 1280, height: 900 };
/** The narrowest that the pages are made for. */
const NARROW = { width: 360, height: 780 };

/** Fails when the page scrolls sideways, with what sticks out. */
export async function assertFits(page: Page): Promise<void> {
  const wide = await page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const all = [...document.querySelectorAll('body *')];
    const out = all.filter((element) => element.getBoundingClientRect().right > clientWidth + 1);
    return [
      `${scrollWidth - clientWidth} pixels`,
      ...out.slice(0, 5).map((element) => element.outerHTML.slice(0, 200)),
    ];
  });
  assert.deepEqual(wide, [], `${page.url()} scrolls sideways`);
}

/**
 * Fails when the page, as it is now, is not accessible or does not fit, light on a desk and dark on a phone. With
 * `WEB_SCREENSHOTS`, the name of a folder, it leaves pictures of both themes in both sizes there, to be looked at.
 * @param name of the pictures
 */
export async function assertPresentable(page: Page, name: string): Promise<void> {
  const before = page.viewportSize() ?? DESK;
  const folder = process.env['WEB_SCREENSHOTS'];
  for (const [viewport, size] of [
    [DESK, 'desk'],
    [NARROW, 'phone'],
  ] as const) {
    await page.setViewportSize(viewport);
    for (const theme of ['light', 'dark'] as const) {
      const isChecked = (size === 'desk') === (theme === 'light');
      if (!isChecked && folder === undefined) continue;
      await page.emulateMedia({ colorScheme: theme });
      await page.waitForFunction((wanted) => document.documentElement.dataset['theme'] === wanted, theme);
      if (folder !== undefined) {
        mkdirSync(folder, { recursive: true });
        await page.screenshot({ path: join(folder, `${name}-${size}-${theme}.png`) });
      }
      if (!isChecked) continue;
      await assertFits(page);
      await assertAccessible(page);
    }
  }
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: null });
}
