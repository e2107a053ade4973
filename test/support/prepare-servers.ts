/**
 * `npm run test:servers`: gets the servers that tests start and that no package manager installs: Temporal, Grafana
 * Loki, Jaeger, Gitea. Where they have to be built this takes minutes, once; the tests find them afterwards.
 */
import { ensureTemporalBinary } from '../../src/embedded/temporal-server.ts';
import { findGiteaBinary } from './gitea.ts';
import { findJaegerBinary } from './jaeger.ts';
import { findLokiBinary } from './loki-binary.ts';

console.error(`Temporal: ${await ensureTemporalBinary({ info: console.error, warn: console.error })}`);
console.error(`Loki: ${await findLokiBinary()}`);
console.error(`Jaeger: ${await findJaegerBinary()}`);
console.error(`Gitea: ${await findGiteaBinary()}`);
