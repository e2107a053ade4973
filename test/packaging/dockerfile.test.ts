import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import type { Copy } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { importedFrom, root, textOf } from './repository.ts';

const text = textOf('Dockerfile');
const dockerfile = DockerfileParser.parse(text);
const instructions = dockerfile.getInstructions();
const fromRepository = dockerfile
  .getCOPYs()
  .filter((copy: Copy) => copy.getFromFlag() === null)
  .flatMap((copy) =>
    copy
      .getArguments()
      .slice(0, -1)
      .map((argument) => argument.getValue()),
  );
const lastStage = instructions.slice(instructions.findLastIndex((instruction) => instruction.getKeyword() === 'FROM'));
const argumentsOf = (keyword: string): string[] =>
  lastStage
    .filter((instruction) => instruction.getKeyword() === keyword)
    .map((instruction) => instruction.getArgumentsContent() ?? '');

const stageNamed = (name: string): { keyword: string; text: string }[] => {
  const start = dockerfile.getFROMs().findIndex((from) => from.getBuildStage() === name);
  const froms = instructions.flatMap((instruction, index) => (instruction.getKeyword() === 'FROM' ? [index] : []));
  return instructions
    .slice(froms[start], froms[start + 1])
    .map((instruction) => ({ keyword: instruction.getKeyword(), text: instruction.getArgumentsContent() ?? '' }));
};

/** The lines of .dockerignore, in order: a later one wins. */
function isIgnored(path: string): boolean {
  let ignored = false;
  for (const line of textOf('.dockerignore').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const keep = line.startsWith('!');
    const pattern = line
      .replace(/^!/, '')
      .replaceAll('.', '\\.')
      .replaceAll('**/', '(?:.+/)?')
      .replaceAll('*', '[^/]*');
    if (new RegExp(`^${pattern}(?:/|$)`).test(path)) ignored = !keep;
  }
  return ignored;
}

describe('Dockerfile', () => {
  it('has no fault that a checker of Dockerfiles knows', () => {
    const found = validate(text).map(
      ({ message, range }) => `line ${range.start.line + 1}: ${JSON.stringify(message)}`,
    );
    assert.deepEqual(found, []);
    assert.notDeepEqual(validate('FROM node:24\nCOPPY . .\n'), []);
  });

  it('copies only what the repository has and the build may see', () => {
    assert.ok(fromRepository.length > 0);
    for (const source of fromRepository) {
      assert.ok(existsSync(join(root, source)), `${source} exists`);
      assert.equal(isIgnored(source), false, `${source} is not in .dockerignore`);
    }
  });

  it('copies from existing stages only', () => {
    const stages = new Set(dockerfile.getFROMs().map((from) => from.getBuildStage()));
    for (const copy of dockerfile.getCOPYs()) {
      const from = copy.getFromFlag()?.getValue();
      if (from !== undefined) assert.ok(stages.has(from), `stage ${from}`);
    }
  });

  it('holds every file that API and worker import', () => {
    for (const program of ['src/bin/api.ts', 'src/bin/worker.ts']) {
      const files = importedFrom(program);
      assert.ok(files.size > 1, `${program} imports something`);
      for (const file of files) {
        const copied = fromRepository.some((source) => file === source || file.startsWith(`${source}/`));
        assert.ok(copied && !isIgnored(file), `${file}, which ${program} reaches`);
      }
    }
  });

  describe('the web app', () => {
    const { devDependencies, dependencies = {} } = JSON.parse(textOf('web/package.json'));

    it('is built from what the repository has, not from what somebody built before', () => {
      for (const path of ['web/dist/index.html', 'web/.build/lock', 'web/node_modules/vite/package.json'])
        assert.ok(isIgnored(path), path);
      for (const path of ['web/src/main.tsx', 'web/index.html', 'scripts/build-web.mjs'])
        assert.equal(isIgnored(path), false, path);
      const stage = stageNamed('web');
      const [install, build] = stage.filter(({ keyword }) => keyword === 'RUN').map(({ text }) => text);
      assert.match(install ?? '', /^npm ci --workspace @casebook\/web --include-workspace-root=false /);
      assert.equal(build, 'node scripts/build-web.mjs');
      assert.equal(JSON.parse(textOf('web/package.json')).name, '@casebook/web');
    });

    it('is where the API serves it from', () => {
      assert.match(textOf('src/app.ts'), /'\.\.\/web\/dist'/);
      const copied = dockerfile.getCOPYs().find((copy) => copy.getFromFlag()?.getValue() === 'web');
      assert.deepEqual(
        copied?.getArguments().map((argument) => argument.getValue()),
        ['/app/web/dist', './web/dist'],
      );
    });

    it('leaves its build dependencies out of the image', () => {
      assert.ok('vite' in devDependencies && 'react' in devDependencies);
      assert.deepEqual(Object.keys(dependencies), []);
      const root: Record<string, string> = JSON.parse(textOf('package.json')).dependencies;
      const { packages } = JSON.parse(textOf('package-lock.json'));
      for (const name of Object.keys(devDependencies).filter((name) => !(name in root))) {
        const locked = packages[`web/node_modules/${name}`] ?? packages[`node_modules/${name}`];
        assert.equal(locked?.dev ?? locked?.devOptional, true, `${name} is for development only in package-lock.json`);
      }
    });
  });

  it('leaves out what nothing that investigates may read', () => {
    assert.ok(isIgnored('demo/truth/anything.json'));
    assert.ok(isIgnored('.casebook/secret-key'));
    assert.ok(isIgnored('.git/config'));
    assert.ok(isIgnored('.env'));
    assert.equal(isIgnored('.npmrc'), false);
  });

  it('has the git that the workspaces are written with, and a folder for them that its user owns', () => {
    const commands = argumentsOf('RUN').join('\n');
    assert.match(commands, /apt-get install [^&]*\bgit\b/);
    assert.match(commands, /install --directory --owner=node .*\/var\/lib\/casebook\/workspaces/);
  });

  it('installs production packages from the lock file and runs as another user than root', () => {
    assert.match(text, /RUN npm ci --omit=dev/);
    const [user] = argumentsOf('USER');
    assert.ok(user && !['root', '0'].includes(user));
    const order = lastStage.map((instruction) => instruction.getKeyword());
    assert.ok(order.indexOf('USER') < order.indexOf('CMD'));
    assert.equal(argumentsOf('HEALTHCHECK').length, 1);
  });

  it('starts an existing program, on the Node version that tests use', () => {
    const command: string[] = JSON.parse(argumentsOf('CMD')[0]!);
    assert.equal(command[0], 'node');
    assert.ok(existsSync(join(root, command.at(-1)!)), command.at(-1));
    const tested: string = JSON.parse(textOf('package.json')).devDependencies.node;
    for (const from of dockerfile.getFROMs()) assert.equal(from.getImage(), `node:${tested}-slim`);
  });
});
