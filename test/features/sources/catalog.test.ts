import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSourceCatalog, SourceError } from '../../../src/features/sources/index.ts';

const call = () => ({ signal: new AbortController().signal });
const fine = JSON.stringify({ title: 'fine', window: { from: 1, to: 2 }, alerts: [] });

describe('source catalog', () => {
  let directory: string;

  const addIncident = async (name: string, text: string) => {
    await mkdir(join(directory, name));
    await writeFile(join(directory, name, 'incident.json'), text);
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'casebook-catalog-'));
  });

  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('holds every incident and the configured servers', async () => {
    await addIncident('b', fine);
    await addIncident('a', fine);
    await writeFile(join(directory, 'README.md'), '# not an incident');
    const catalog = createSourceCatalog({
      incidentsDir: directory,
      prometheusUrl: 'http://127.0.0.1:9',
      lokiUrl: 'http://127.0.0.1:9',
      jaegerUrl: 'http://127.0.0.1:9',
      tempoUrl: 'http://127.0.0.1:9',
    });
    assert.deepEqual(
      catalog.list().map(({ id }) => id),
      ['incident:a', 'incident:b', 'prometheus', 'loki', 'jaeger', 'tempo'],
    );
    assert.equal(catalog.get('loki').kind, 'loki');
    assert.equal(catalog.get('incident:a'), catalog.get('incident:a'));
  });

  it('lists a malformed incident, which says what is wrong, beside the others', async () => {
    await addIncident('good', fine);
    await addIncident('broken', '{"title": 5}');
    await mkdir(join(directory, 'empty'));
    const catalog = createSourceCatalog({ incidentsDir: directory });
    assert.deepEqual(
      catalog.list().map(({ id }) => id),
      ['incident:broken', 'incident:empty', 'incident:good'],
    );
    await assert.rejects(catalog.get('incident:broken').describe(call()), /incident:broken: incident\.json: title: /);
    await assert.rejects(catalog.get('incident:empty').describe(call()), /incident:empty: incident\.json is missing/);
    assert.equal((await catalog.get('incident:good').describe(call())).title, 'fine');
  });

  it('finds an incident that was recorded meanwhile', async () => {
    const catalog = createSourceCatalog({ incidentsDir: directory });
    assert.deepEqual(catalog.list(), []);
    await addIncident('new', fine);
    assert.deepEqual(
      catalog.list().map(({ id }) => id),
      ['incident:new'],
    );
  });

  it('leaves out links and odd names', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'casebook-elsewhere-'));
    await symlink(elsewhere, join(directory, 'linked'));
    await mkdir(join(directory, '.hidden'));
    assert.deepEqual(createSourceCatalog({ incidentsDir: directory }).list(), []);
    await rm(elsewhere, { recursive: true });
  });

  it('works without a folder of incidents', () => {
    assert.deepEqual(createSourceCatalog({ incidentsDir: join(directory, 'absent') }).list(), []);
    assert.deepEqual(createSourceCatalog({}).list(), []);
  });

  it('names the sources there are when asked for another', async () => {
    await addIncident('a', fine);
    const catalog = createSourceCatalog({ incidentsDir: directory });
    assert.throws(
      () => catalog.get('incident:../a'),
      (error: Error) =>
        error instanceof SourceError && /no source "incident:\.\.\/a"; the sources are: incident:a/.test(error.message),
    );
  });
});
