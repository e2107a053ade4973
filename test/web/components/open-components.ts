/** The components of the web app alone on a page, under the policy of the app, in real Chromium. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { build } from 'vite';
import { sharedBrowser } from '../../support/web/browser.ts';
import { PATIENCE_MS } from '../../support/web/waiting.ts';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types casebook',
].join('; ');

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

export interface Components {
  /** A page of its own, with what it logged as errors, what the policy stopped, and what it asked for elsewhere. */
  newPage(options?: BrowserContextOptions): Promise<{ page: Page; errors: string[]; elsewhere: string[] }>;
  url: string;
  close(): Promise<void>;
}

/** @param answer what `/api/…` answers; without it, 404 */
export async function openComponents(
  answer?: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<Components> {
  const outDir = await mkdtemp(path.join(tmpdir(), 'components-'));
  await build({
    configFile: path.join(import.meta.dirname, '../../../web/vite.config.ts'),
    root: path.join(import.meta.dirname, 'page'),
    logLevel: 'error',
    build: { outDir, emptyOutDir: true },
  });
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      if (pathname.startsWith('/api/') && answer !== undefined) return await answer(request, response);
      if (pathname === '/favicon.ico') return void response.writeHead(204).end();
      const file = path.join(outDir, pathname === '/' ? 'index.html' : path.normalize(pathname));
      const body = await readFile(file).catch(() => undefined);
      response.writeHead(body ? 200 : 404, {
        'Content-Type': TYPES[path.extname(file)] ?? 'text/plain',
        'Content-Security-Policy': POLICY,
      });
      response.end(body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const browser = await sharedBrowser();
  const contexts: BrowserContext[] = [];

  return {
    url,
    async newPage(options) {
      const context = await browser.newContext({ ...options, baseURL: url });
      context.setDefaultTimeout(PATIENCE_MS);
      contexts.push(context);
      const page = await context.newPage();
      const errors: string[] = [];
      const elsewhere: string[] = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      page.on('request', (request) => {
        if (!request.url().startsWith(url) && !/^(?:data|blob):/.test(request.url())) elsewhere.push(request.url());
      });
      await page.goto('/');
      await page.waitForFunction('typeof globalThis.show === "function"');
      return { page, errors, elsewhere };
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(outDir, { recursive: true, force: true });
    },
  };
}
