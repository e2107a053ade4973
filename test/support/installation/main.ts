/** The whole product as `npm start` runs it, on free ports: prints one line of JSON when everything is up, then stays. */
import { loadConfig } from '../../../src/rooms.ts';
import { messageOf } from '../../../src/platform/message-of.ts';
import { startEverything } from '../../../src/embedded/up.ts';

const log = { info: (line: string) => console.error(line), warn: (line: string) => console.error(line) };
try {
  // 0: any free port, so that the usual ones stay free for whoever uses this machine.
  const ports = { postgres: 0, temporal: 0, temporalUi: 0 };
  const running = await startEverything({ config: loadConfig(), log, ports });
  process.on('SIGTERM', () => void running.stop().then(() => process.exit(0)));
  console.log(JSON.stringify(running));
} catch (error) {
  console.error(messageOf(error));
  process.exit(1);
}
