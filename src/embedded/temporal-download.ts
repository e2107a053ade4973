/**
 * Lets the Temporal SDK download the Temporal CLI into the folder given as the first argument. The SDK does so only
 * when it starts a development server, so this starts one, in memory, and stops it. It runs as a process of its own to
 * keep the SDK's native runtime out of the supervising process.
 */
import { createRequire } from 'node:module';
import { Runtime } from '@temporalio/worker';
import { z } from 'zod';
import { messageOf } from '../platform/message-of.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: temporal-download.ts FOLDER');

const manifest: unknown = createRequire(import.meta.url)('@temporalio/worker/package.json');
const sdkVersion = z.object({ version: z.string() }).parse(manifest).version;
const runtime = Runtime.instance();
try {
  const server = await runtime.createEphemeralServer({
    type: 'dev-server',
    exe: {
      type: 'cached-download',
      downloadDir: folder,
      version: 'default',
      ttl: 0,
      sdkName: 'sdk-typescript',
      sdkVersion,
    },
    namespace: 'default',
    ip: '127.0.0.1',
    port: null,
    uiPort: null,
    dbFilename: null,
    ui: false,
    log: { format: 'pretty', level: 'error' },
    extraArgs: [],
  });
  await runtime.shutdownEphemeralServer(server);
} catch (error) {
  // One line for the parent's message; the stack says nothing more.
  console.error(messageOf(error).replaceAll('\n', ' '));
  process.exitCode = 1;
}
