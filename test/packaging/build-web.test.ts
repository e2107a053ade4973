import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { root, textOf } from './repository.ts';

const BUILDING = /^casebook: building the web app \((first run|its sources have changed)\) \.\.\.\n$/;

describe('scripts/build-web.mjs', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'casebook-build-'));
    for (const name of ['scripts', 'web/src', 'web/public']) mkdirSync(join(folder, name), { recursive: true });
    copyFileSync(join(root, 'scripts/build-web.mjs'), join(folder, 'scripts/build-web.mjs'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    write('package-lock.json', '{}');
    write('web/package.json', '{"type":"module"}');
    write('web/index.html', '<div id="root"></div><script type="module" src="/src/main.js"></script>');
    write('web/src/main.js', program('first'));
    write('web/public/robots.txt', 'User-agent: *\n');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  /** A program long enough to be compressed. */
  const program = (word: string) =>
    `document.title = '${word}';\n${`console.log('${word} ${'x'.repeat(60)}');\n`.repeat(40)}`;
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [join(folder, 'scripts/build-web.mjs'), ...args], {
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const ended = once(child, 'close').then(([status]) => ({ status: Number(status), output }));
    return { child, ended, output: () => output };
  };
  const run = (...args: string[]) => start(...args).ended;
  const built = (): string[] => readdirSync(join(folder, 'web/dist/assets')).sort();
  const script = (): string => {
    const name = built().find((name) => name.endsWith('.js'));
    return readFileSync(join(folder, 'web/dist/assets', String(name)), 'utf8');
  };
  const leftOver = () => readdirSync(join(folder, 'web/.build'));

  it('builds in a fresh clone and says so in one line; then only when something has changed', async () => {
    const first = await run();
    assert.deepEqual([first.status, BUILDING.exec(first.output)?.[1]], [0, 'first run']);
    assert.match(script(), /first/);
    assert.deepEqual(await run(), { status: 0, output: '' });

    write('web/src/main.js', program('second'));
    const changed = await run();
    assert.deepEqual([changed.status, BUILDING.exec(changed.output)?.[1]], [0, 'its sources have changed']);
    assert.match(script(), /second/);
    assert.equal(built().length, 3, 'nothing of the first build is left');

    write('package-lock.json', '{"other":1}');
    assert.match((await run()).output, BUILDING);
    write('web/public/new.txt', 'new');
    assert.match((await run()).output, BUILDING);
    rmSync(join(folder, 'web/public/new.txt'));
    assert.match((await run()).output, BUILDING);
    assert.equal(existsSync(join(folder, 'web/dist/new.txt')), false);
    assert.deepEqual(await run(), { status: 0, output: '' });
    assert.match((await run('--force')).output, /^casebook: building the web app \.\.\.\n$/);
    assert.deepEqual(leftOver(), []);
  });

  it('puts compressed copies beside what is worth it, and no source maps', async () => {
    await run();
    const [plain = '', br = '', gz = ''] = built();
    assert.deepEqual([br, gz], [`${plain}.br`, `${plain}.gz`]);
    const bytes = (name: string) => readFileSync(join(folder, 'web/dist/assets', name));
    assert.deepEqual(brotliDecompressSync(bytes(br)), bytes(plain));
    assert.deepEqual(gunzipSync(bytes(gz)), bytes(plain));
    assert.equal(existsSync(join(folder, 'web/dist/robots.txt.br')), false);
    const config = textOf('web/vite.config.ts');
    assert.doesNotMatch(config, /sourcemap: (?!false)/);
  });

  it('builds once when it is started several times together', async () => {
    const runs = await Promise.all([run(), run(), run()]);
    assert.deepEqual(
      runs.map(({ status }) => status),
      [0, 0, 0],
    );
    assert.equal(runs.filter(({ output }) => output.includes('building the web app')).length, 1);
    assert.match(script(), /first/);
    assert.deepEqual(leftOver(), []);
  });

  it('leaves the last whole build when it is killed or fails, and builds again afterwards', async () => {
    await run();
    write('web/src/main.js', program('second'));
    const killed = start();
    while (!killed.output().includes('building')) await once(killed.child.stderr, 'data');
    killed.child.kill('SIGKILL');
    await killed.ended;
    assert.match(script(), /first/);
    assert.deepEqual(leftOver().includes('lock'), true, 'it was killed while it held the lock');

    write('web/src/main.js', 'this is no program');
    const failed = await run();
    assert.equal(failed.status, 1);
    assert.match(failed.output, /the web app could not be built: Vite ended with 1; its message is above/);
    assert.match(script(), /first/);

    write('web/src/main.js', program('third'));
    assert.match((await run()).output, BUILDING);
    assert.match(script(), /third/);
    assert.equal((await run()).output, '');
  });

  it('does not wait for a process that got the number of one that is gone', async () => {
    mkdirSync(join(folder, 'web/.build'));
    write('web/.build/lock', String(process.pid));
    const long = new Date(Date.now() - 3_600_000);
    utimesSync(join(folder, 'web/.build/lock'), long, long);
    assert.equal((await run()).status, 0);
    assert.match(script(), /first/);
  });

  it('runs before everything that shows the app or looks at it', () => {
    const { scripts } = JSON.parse(textOf('package.json'));
    for (const name of ['start', 'demo', 'test', 'check'])
      assert.equal(scripts[`pre${name}`], 'node scripts/bootstrap.mjs && node scripts/build-web.mjs', name);
    const ignored = textOf('.gitignore').split('\n');
    assert.ok(ignored.includes('dist/') && ignored.includes('web/.build/'));
  });
});
