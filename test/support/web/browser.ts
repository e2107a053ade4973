/** Debian's Chromium, one for all tests of a process. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** The headless shell draws no windows and takes half the time. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

let starting: Promise<Browser> | undefined;

/** @throws {Error} when there is no Chromium on this machine */
export function sharedBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? PLACES.find((path) => existsSync(path));
  if (executablePath === undefined) {
    throw new Error('Browser tests need Chromium: apt-get install chromium-headless-shell, or set CHROMIUM_PATH.');
  }
  // The sandbox wants a user that is not root; what is loaded here is our own.
  starting ??= chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  return starting;
}

export async function closeBrowser(): Promise<void> {
  const browser = await starting;
  starting = undefined;
  await browser?.close();
}
