import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemOf } from '../../src/embedded/child-log.ts';
import { readPidFile, writePidFile, describeProcess, isAlive } from '../../src/embedded/process-table.ts';
import { createSupervisor, stopLeftover, type ChildSpec, type Supervisor } from '../../src/embedded/supervisor.ts';
import { waitUntil } from '../support/wait-until.ts';
import { temporaryHome } from './home.ts';

describe('supervisor', () => {
  const home = temporaryHome();
  const lines: string[] = [];
  const log = { info: (line: string) => void lines.push(line), warn: (line: string) => void lines.push(line) };
  let supervisor: Supervisor;

  beforeEach(() => {
    lines.length = 0;
    supervisor = createSupervisor({ home, log, stopOrder: ['second', 'first'] });
  });
  afterEach(() => supervisor.stopNow());

  /** A child that runs a piece of JavaScript; `mark` is in its command line. */
  const child = (name: string, script: string, more: Partial<ChildSpec> = {}): ChildSpec => ({
    name,
    marks: [`mark-${name}`],
    command: process.execPath,
    args: ['-e', script, `mark-${name}`],
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 60_000,
    ready: async () => undefined,
    ...more,
  });
  const stays = 'setInterval(() => {}, 1000)';
  const noting = (name: string): string =>
    `process.on("SIGTERM", () => { require("fs").appendFileSync(${JSON.stringify(join(home, 'order'))}, "${name} "); process.exit() });
     console.log("listening"); ${stays}`;
  const listening = (name: string) => async (): Promise<void> =>
    waitUntil(() => readFileSync(join(home, 'log', `${name}.log`), 'utf8').includes('listening') || undefined, {
      what: name,
      intervalMs: 20,
    }).then(() => undefined);

  it('keeps the pid in HOME/run, and starts a killed child again with the same command', async () => {
    await supervisor.start(child('first', stays));
    const pid = supervisor.pid('first')!;
    assert.equal(readPidFile(home, 'first'), pid);
    process.kill(pid, 'SIGKILL');
    const again = await waitUntil(() => ((now) => (now !== pid ? now : undefined))(readPidFile(home, 'first')), {
      what: 'the second process',
    });
    assert.equal(supervisor.pid('first'), again);
    assert.ok(isAlive(again));
    assert.match(describeProcess(again), /mark-first/);
    assert.ok(lines.some((line) => line.includes('first was killed by SIGKILL')));
  });

  it('stops in the order given, waits for each, and leaves no pid file', async () => {
    await supervisor.start(child('first', noting('first'), { ready: listening('first') }));
    await supervisor.start(child('second', noting('second'), { ready: listening('second') }));
    await supervisor.stop();
    assert.equal(readFileSync(join(home, 'order'), 'utf8'), 'second first ');
    assert.equal(existsSync(join(home, 'run', 'first.pid')), false);
    assert.equal(existsSync(join(home, 'run', 'second.pid')), false);
  });

  it('ends by force a child that ignores the request, and says so', async () => {
    const deaf = `process.on("SIGTERM", () => {}); console.log("listening"); ${stays}`;
    await supervisor.start(child('deaf', deaf, { ready: listening('deaf'), stopTimeoutMs: 200 }));
    const pid = supervisor.pid('deaf')!;
    await supervisor.stop();
    assert.equal(isAlive(pid), false);
    assert.ok(lines.some((line) => line.startsWith('deaf did not stop')));
  });

  it('fails with the end of the log when a child exits before it is ready the first time', async () => {
    const dying = child('dying', 'console.error("no such table"); process.exit(3)', {
      ready: (signal) => once(signal, 'abort').then(() => undefined),
    });
    await assert.rejects(supervisor.start(dying), /dying did not start: exited with 3\n.*no such table/s);
    assert.equal(supervisor.pid('dying'), undefined);
  });

  it('fails at once when the program does not exist', async () => {
    const absent = child('absent', '', {
      command: '/no/such/program',
      ready: (signal) => once(signal, 'abort').then(() => undefined),
    });
    await assert.rejects(supervisor.start(absent), /absent did not start: could not start: .*ENOENT/);
  });

  it('stops what an earlier supervisor left, and never a stranger that has its pid', async () => {
    const leftover = spawn(process.execPath, ['-e', stays, 'mark-first'], { stdio: 'ignore' });
    const stranger = spawn(process.execPath, ['-e', stays, 'somebody else'], { stdio: 'ignore' });
    writePidFile(home, 'first', leftover.pid!);
    writePidFile(home, 'second', stranger.pid!);
    assert.equal(await stopLeftover(home, child('first', stays)), leftover.pid);
    assert.equal(await stopLeftover(home, child('second', stays)), undefined);
    assert.equal(isAlive(leftover.pid!), false);
    assert.equal(isAlive(stranger.pid!), true);
    assert.equal(readPidFile(home, 'second'), undefined);
    stranger.kill('SIGKILL');
  });

  it('passes on error lines of a child log and nothing else', () => {
    assert.equal(
      problemOf('{"level":50,"msg":"query failed","err":{"message":"no connection"}}'),
      'query failed: no connection',
    );
    assert.equal(problemOf('{"level":30,"msg":"listening"}'), undefined);
    assert.equal(problemOf('plain text'), undefined);
    assert.equal(problemOf('{"broken'), undefined);
  });
});
