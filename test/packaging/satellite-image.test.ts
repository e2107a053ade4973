import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { parseAllDocuments } from 'yaml';
import { parseConfig } from '../../satellite/config/index.ts';
import { connectorKinds } from '@casebook/connectors';
import { importedFrom, root, textOf } from './repository.ts';

const text = textOf('satellite/Dockerfile');
const dockerfile = DockerfileParser.parse(text);
const instructions = dockerfile.getInstructions();
const lastStage = instructions.slice(instructions.findLastIndex((instruction) => instruction.getKeyword() === 'FROM'));
const argumentsOf = (keyword: string): string[] =>
  lastStage
    .filter((instruction) => instruction.getKeyword() === keyword)
    .map((instruction) => instruction.getArgumentsContent() ?? '');
const fromRepository = dockerfile
  .getCOPYs()
  .filter((copy) => copy.getFromFlag() === null)
  .flatMap((copy) =>
    copy
      .getArguments()
      .slice(0, -1)
      .map((argument) => argument.getValue()),
  );

describe('satellite/Dockerfile', () => {
  it('has no fault that a checker of Dockerfiles knows', () => {
    assert.deepEqual(
      validate(text).map(({ message, range }) => `line ${range.start.line + 1}: ${JSON.stringify(message)}`),
      [],
    );
  });

  it('copies what there is, and nothing of the server', () => {
    for (const source of fromRepository) assert.ok(existsSync(join(root, source)), source);
    assert.deepEqual(
      fromRepository.filter((source) => source.startsWith('src')),
      [],
    );
  });

  it('holds every file that the satellite imports', () => {
    const files = importedFrom('satellite/main.ts');
    assert.ok(files.size > 50, `${files.size} files`);
    for (const file of files) {
      assert.ok(
        fromRepository.some((source) => file.startsWith(`${source}/`)),
        file,
      );
    }
  });

  it('has every package that the satellite imports', () => {
    const { dependencies } = JSON.parse(textOf('satellite/package.json'));
    const wanted = new Set<string>();
    for (const file of importedFrom('satellite/main.ts')) {
      if (!file.startsWith('satellite/')) continue;
      for (const [, name] of readFileSync(join(root, file), 'utf8').matchAll(
        /^(?:import|export) (?!type).*?from '((?:@[^/']+\/)?[a-z][^/':]*)(?:\/[^']*)?';$/gms,
      ))
        wanted.add(name!);
    }
    assert.ok(wanted.has('ws') && wanted.has('zod'));
    assert.deepEqual(
      [...wanted].filter((name) => !(name in dependencies)),
      [],
    );
  });

  it('finds every package in the one folder that is copied', () => {
    const { packages } = JSON.parse(textOf('package-lock.json'));
    assert.deepEqual(
      Object.keys(packages).filter((path) => /^(satellite|packages\/(wire|connectors|mcp))\/node_modules\//.test(path)),
      [],
    );
  });

  it('installs from the lock file, for the satellite alone, and runs as another user than root', () => {
    assert.match(text, /RUN npm ci --omit=dev --workspace @casebook\/satellite --include-workspace-root=false/);
    assert.deepEqual(argumentsOf('USER'), ['1000:1000'], 'a number, or runAsNonRoot refuses the image');
    const order = lastStage.map((instruction) => instruction.getKeyword());
    assert.ok(order.indexOf('USER') < order.indexOf('CMD'));
    assert.equal(argumentsOf('HEALTHCHECK').length, 1);
    assert.ok(argumentsOf('ENV')[0]?.includes('CASEBOOK_SATELLITE_HEALTH_PORT='), 'what the health check asks');
  });

  it('starts the satellite, on the Node the repository is tested with', () => {
    const command: string[] = JSON.parse(argumentsOf('CMD')[0]!);
    assert.deepEqual([command[0], command.at(-1)], ['node', 'satellite/main.ts']);
    const tested: string = JSON.parse(textOf('package.json')).devDependencies.node;
    for (const from of dockerfile.getFROMs()) assert.equal(from.getImage(), `node:${tested}-slim`);
  });
});

describe('satellite/deploy', () => {
  interface Manifest {
    kind: string;
    metadata: { name: string; namespace?: string };
    data?: Record<string, string>;
    spec?: { template: { spec: { serviceAccountName: string } } };
  }
  const manifests = (file: string): Manifest[] =>
    parseAllDocuments(textOf(`satellite/deploy/${file}`)).map((document): Manifest => {
      assert.deepEqual(document.errors, []);
      return document.toJS();
    });

  it('gives the satellite a configuration that is right, and the account that the RBAC file makes', () => {
    const deployed = manifests('kubernetes-deployment.yaml');
    const made = manifests('kubernetes-rbac.yaml').map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const config = deployed.find(({ kind }) => kind === 'ConfigMap')?.data?.['satellite.yaml'] ?? '';
    assert.ok('config' in parseConfig(config, {}, connectorKinds));
    const account = deployed.find(({ kind }) => kind === 'Deployment')?.spec?.template.spec.serviceAccountName;
    assert.ok(made.includes(`ServiceAccount ${account}`));
    for (const { metadata } of deployed) assert.ok(made.includes(`Namespace ${metadata.namespace}`));
  });
});
