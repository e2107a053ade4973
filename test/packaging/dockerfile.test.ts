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

  it('copies from stages that are there', () => {
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

  it('starts a program that is there, on the Node line the repository is tested with', () => {
    const command: string[] = JSON.parse(argumentsOf('CMD')[0]!);
    assert.equal(command[0], 'node');
    assert.ok(existsSync(join(root, command.at(-1)!)), command.at(-1));
    const tested: string = JSON.parse(textOf('package.json')).devDependencies.node;
    for (const from of dockerfile.getFROMs()) assert.equal(from.getImage(), `node:${tested.split('.')[0]}-slim`);
  });
});
