/** The web app as a person meets it: the built pages in Chromium, on a real API, worker and offline model. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { startCluster, type Cluster } from '../cluster.ts';
import type { Script } from '../scripted-model/index.ts';
import { sharedBrowser } from './browser.ts';
import { PATIENCE_MS } from './waiting.ts';

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

export interface VisitOptions {
  viewport?: { width: number; height: number };
  theme?: 'light' | 'dark';
  /** Whether the screen takes fingers. */
  touch?: boolean;
  /** An API key to be signed in with; null: nobody is. Default: the first team's admin key. */
  as?: string | null;
  /** What is awaited in the console: messages that match are no problems. */
  expected?: RegExp[];
}

/** One browser profile with one page in it. */
export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Errors of scripts, violations of the content security policy, error messages in the console. */
  problems: string[];
  /** Closes it. @throws {AssertionError} when there were problems */
  end(): Promise<void>;
}

export interface Web {
  url: string;
  apiKey: string;
  cluster: Cluster;
  /** Opens a page of the app in a new browser profile. */
  visit(path: string, options?: VisitOptions): Promise<Visit>;
  /**
   * Calls the API as a program does.
   * @param as an API key; default: the first team's admin key
   * @throws {Error} for anything but a success
   */
  call<T = unknown>(method: string, path: string, body?: unknown, as?: string): Promise<T>;
  /** A team of its own, for what others would disturb, with the key of its admin. */
  newTeam(name?: string): Promise<{ id: string; apiKey: string }>;
  stop(): Promise<void>;
}

const BUILT = join(import.meta.dirname, '..', '..', '..', 'web', 'dist', 'index.html');

/**
 * An installation of its own.
 * @param options.script what the model says; without it, the offline model answers
 * @throws {Error} when the web app is not built, or Chromium is missing
 */
export async function startWeb(options: { script?: Script; env?: Record<string, string> } = {}): Promise<Web> {
  if (!existsSync(BUILT)) throw new Error('The web app is not built: npm run build:web');
  const browser = await sharedBrowser();
  const cluster = await startCluster({ apis: 1, workers: 1, ...options });
  const { apiKey } = cluster;
  const [api] = cluster.apis;
  if (api === undefined) throw new Error('The cluster has no API.');
  const { url } = api;
  const open = new Set<BrowserContext>();
  const call: Web['call'] = async <T>(method: string, path: string, body?: unknown, as = apiKey) => {
    const headers = { authorization: `Bearer ${as}`, 'x-api-key': as };
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  return {
    url,
    apiKey,
    cluster,
    async visit(path, { viewport = DESKTOP, theme = 'light', touch = false, as = apiKey, expected = [] } = {}) {
      const context = await browser.newContext({
        baseURL: url,
        viewport,
        colorScheme: theme,
        hasTouch: touch,
        reducedMotion: 'reduce',
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      context.setDefaultTimeout(PATIENCE_MS);
      open.add(context);
      const problems: string[] = [];
      const note = (text: string): void => {
        if (!expected.some((pattern) => pattern.test(text))) problems.push(text);
      };
      context.on('weberror', (error) => note(`error: ${error.error().stack ?? error.error().message}`));
      // Violations of the content security policy are reported here as well.
      context.on('console', (message) => {
        if (message.type() === 'error') note(`console: ${message.text()} (${message.location().url})`);
      });
      if (as !== null) await signIn(context, url, as);
      const page = await context.newPage();
      await page.goto(path);
      return {
        page,
        context,
        problems,
        async end() {
          open.delete(context);
          await context.close();
          assert.deepEqual(problems, []);
        },
      };
    },
    call,
    async newTeam(name = 'A team') {
      const body = { name, admin_email: `${randomUUID()}@example.org`, admin_name: 'Ada' };
      const made = await call<{ team: { id: string }; api_key: { api_key: string } }>('POST', '/api/teams', body);
      return { id: made.team.id, apiKey: made.api_key.api_key };
    },
    async stop() {
      await Promise.all([...open].map((context) => context.close()));
      await cluster.stop();
    },
  };
}

async function signIn(context: BrowserContext, url: string, apiKey: string): Promise<void> {
  const headers = { origin: url };
  const response = await context.request.post('/api/session', { data: { api_key: apiKey }, headers });
  assert.equal(response.status(), 200, await response.text());
}
