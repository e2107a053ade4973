/**
 * The shop's customers: `node demo/shop/customers.ts`. They come at random, whether or not the shop keeps up with them,
 * as customers do. SHOP_ADDRESSES has the base URL of every service as JSON.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { exponential } from './random.ts';

const VISITS_PER_SECOND = 14;
/** Their actions and frequencies. */
const habits = [
  { method: 'GET', path: '/', share: 0.4 },
  { method: 'GET', path: '/search', share: 0.25 },
  { method: 'POST', path: '/buy', share: 0.35 },
] as const;
const PATIENCE_MS = 8_000;

const { storefront } = z.object({ storefront: z.url() }).parse(JSON.parse(process.env['SHOP_ADDRESSES'] ?? '{}'));

async function visit(): Promise<void> {
  let chance = Math.random();
  const habit = habits.find(({ share }) => (chance -= share) < 0) ?? habits[0];
  try {
    const { method, path } = habit;
    const response = await fetch(storefront + path, { method, signal: AbortSignal.timeout(PATIENCE_MS) });
    await response.arrayBuffer();
  } catch {
    // A customer whom the shop does not answer goes away; the shop's own metrics tell of it.
  }
}

process.on('SIGTERM', () => process.exit(0));
for (;;) {
  await delay(exponential(1000 / VISITS_PER_SECOND));
  void visit();
}
