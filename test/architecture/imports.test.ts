import assert from 'node:assert/strict';
import { filesBelow, findCycle, readSource, relativeImports, runtimeImports, type Import } from './import-graph.ts';

const PRODUCT = ['src', 'workflows', 'activities', 'temporal', 'demo', 'packages', 'satellite', 'web/src'];
const show = ({ from, to }: Import): string => `${from} -> ${to}`;

describe('architecture: imports at run time', () => {
  let imports: Import[];
  before(async () => {
    imports = await runtimeImports(PRODUCT);
  });

  const violations = (from: RegExp, allowed: (to: string, from: string) => boolean): string[] =>
    imports.filter((edge) => from.test(edge.from) && !allowed(edge.to, edge.from)).map(show);

  it('sees the imports it judges', () => {
    assert.ok(
      imports.some((edge) => edge.from === 'src/rooms.ts' && edge.to === 'src/features/investigations/index.ts'),
    );
    assert.ok(imports.length > 200);
  });

  it('workflows import contracts, search attributes and the workflow SDK only', () => {
    const allowed =
      /^(workflows\/|temporal\/search-attributes\.ts$|src\/features\/[\w-]+\/contract\.ts$|@temporalio\/(workflow|common)$)/;
    assert.deepEqual(
      violations(/^workflows\//, (to) => allowed.test(to)),
      [],
    );
  });

  it('contracts import contracts and the workflow SDK only', () => {
    const allowed = /(\/contract\.ts|^@temporalio\/(workflow|common))$/;
    assert.deepEqual(
      violations(/\/contract\.ts$/, (to) => allowed.test(to)),
      [],
    );
  });

  it('imports go activities -> features -> temporal, never back', () => {
    const forbidden = /^(activities|workflows|src\/bin|src\/embedded)\//;
    assert.deepEqual(
      violations(/^src\/(features|http|db|platform)\//, (to) => !forbidden.test(to)),
      [],
    );
  });

  it('the HTTP layer and the platform know no feature', () => {
    assert.deepEqual(
      violations(/^src\/(http|platform)\//, (to) => !to.startsWith('src/features/')),
      [],
    );
  });

  it('a room is entered through its door, its contract or its ports', () => {
    const inRoom = /^src\/features\/([\w-]+)\/(.+)$/;
    const doors = /^(index|contract|port|tool|results|framing)\.ts$/;
    const allowed = (to: string, from: string): boolean => {
      const [, toRoom, file = ''] = inRoom.exec(to) ?? [];
      const [, fromRoom] = inRoom.exec(from) ?? [];
      return toRoom === undefined || toRoom === fromRoom || doors.test(file);
    };
    assert.deepEqual(violations(/^src\/features\//, allowed), []);
  });

  it('a satellite imports packages only, and nothing imports a satellite', () => {
    const isOurs = (to: string): boolean => PRODUCT.some((folder) => to.startsWith(`${folder}/`));
    assert.deepEqual(
      violations(/^satellite\//, (to) => /^(satellite|packages)\//.test(to) || !isOurs(to)),
      [],
    );
    assert.deepEqual(
      violations(/^packages\//, (to) => to.startsWith('packages/') || !isOurs(to)),
      [],
    );
    assert.deepEqual(
      violations(/^(?!satellite\/)/, (to) => !to.startsWith('satellite/')),
      [],
    );
    assert.deepEqual(
      violations(/^packages\/wire\//, (to) => to === 'zod' || to.startsWith('packages/wire/')),
      [],
    );
    assert.ok(imports.some(({ from, to }) => from.startsWith('satellite/') && to === 'packages/wire/index.ts'));
  });

  it('a package is entered by its name, and imports what its own list has', () => {
    const inPackage = /^packages\/([\w-]+)\//;
    const across = PRODUCT.flatMap(filesBelow)
      .flatMap(relativeImports)
      .filter(({ from, to }) => inPackage.test(to) && inPackage.exec(from)?.[1] !== inPackage.exec(to)?.[1]);
    assert.deepEqual(across.map(show), []);
    const missing = imports.filter(({ from, to }) => {
      const [, name] = inPackage.exec(from) ?? [];
      const [, other] = inPackage.exec(to) ?? [];
      if (name === undefined || name === other || to.startsWith('node:')) return false;
      const { dependencies = {} } = JSON.parse(readSource(`packages/${name}/package.json`));
      return !Object.hasOwn(dependencies, other === undefined ? to : `@casebook/${other}`);
    });
    assert.deepEqual(missing.map(show), []);
  });

  it('the web app and the server import nothing of each other, types included', () => {
    const outside = filesBelow('web/src')
      .flatMap(relativeImports)
      .filter(({ to }) => !to.startsWith('web/src/'));
    assert.deepEqual(outside.map(show), []);
    assert.ok(imports.some(({ from, to }) => from === 'web/src/main.tsx' && to === 'web/src/app/router.tsx'));
    assert.deepEqual(
      violations(/^(?!web\/)/, (to) => !to.startsWith('web/')),
      [],
    );
  });

  it('the web app has every package that it imports in its own list', () => {
    const { devDependencies } = JSON.parse(readSource('web/package.json'));
    assert.deepEqual(
      violations(/^web\//, (to) => to.startsWith('web/src/') || Object.hasOwn(devDependencies, to)),
      [],
    );
  });

  it('components of the web app know no page', () => {
    assert.deepEqual(
      violations(/^web\/src\/(components|api)\//, (to) => !to.startsWith('web/src/pages/')),
      [],
    );
  });

  it('the product does not import tests or benches', () => {
    assert.deepEqual(
      violations(/./, (to) => !/^(test|bench)\//.test(to)),
      [],
    );
  });

  it('has no cycles', () => {
    assert.equal(findCycle(imports)?.join(' -> '), undefined);
  });

  it('a cycle would be found', () => {
    assert.deepEqual(
      findCycle([
        { from: 'a', to: 'b' },
        { from: 'b', to: 'c' },
        { from: 'c', to: 'b' },
      ]),
      ['b', 'c', 'b'],
    );
  });
});

describe('architecture: files', () => {
  it('process.env is read in src/config.ts only', () => {
    const readers = ['src', 'workflows', 'activities', 'temporal']
      .flatMap(filesBelow)
      .filter((file) => file !== 'src/config.ts' && /process\.env|process\[['"]env/.test(readSource(file)));
    assert.deepEqual(readers, []);
  });

  it('no file of the product is over the cap of 500 lines, and the median is under 100', () => {
    const lengths = PRODUCT.flatMap(filesBelow)
      .filter((file) => !file.includes('/migrations/'))
      .map((file) => ({ file, lines: readSource(file).split('\n').length }));
    assert.deepEqual(
      lengths.filter(({ lines }) => lines > 500),
      [],
    );
    const sorted = lengths.map(({ lines }) => lines).sort((a, b) => a - b);
    assert.ok(sorted[Math.floor(sorted.length / 2)]! < 100);
  });
});
