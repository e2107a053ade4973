/**
 * The web app for tests. One installation serves all tests of a process, so tests make what they look at and do not
 * count what is there.
 */
import { closeBrowser } from './browser.ts';
import { startWeb, type Web } from './start.ts';

export { assertAccessible } from './accessibility.ts';
export { assertFits, assertPresentable } from './presentable.ts';
export { copiedBy, untilFocused, untilInView, untilSaid } from './waiting.ts';
export { DESKTOP, PHONE, startWeb, type Visit, type VisitOptions, type Web } from './start.ts';

let shared: Promise<Web> | undefined;

/** The installation that the tests of a process share: started by the first that asks. */
export const sharedWeb = (): Promise<Web> => (shared ??= startWeb());

// Registered when the first test file asks for this module: outside any suite, so it runs after all of them.
after('stop the web app of the tests', async () => {
  await (await shared)?.stop();
  await closeBrowser();
});
