import assert from 'node:assert/strict';
import { stripTypeScriptTypes } from 'node:module';
import { init, parse } from 'es-module-lexer';
import { filesBelow, readSource } from '../../architecture/import-graph.ts';

const VENDORS =
  /^(?:pg|pg-cursor|@clickhouse\/client|@elastic\/elasticsearch|@opensearch-project\/opensearch|@kubernetes\/client-node)$/;

describe('satellite connectors of stores and clusters', () => {
  it('load a vendor client when it is first used, and not before', async () => {
    await init();
    const imports = filesBelow('packages/connectors').flatMap((file) => {
      const [found] = parse(stripTypeScriptTypes(readSource(file)), file);
      return found.flatMap(({ specifier, type }) => (VENDORS.test(specifier ?? '') ? [{ file, specifier, type }] : []));
    });
    assert.equal(new Set(imports.map(({ specifier }) => specifier)).size, 6);
    assert.deepEqual(
      imports.filter(({ type }) => type !== 'dynamic'),
      [],
    );
  });
});
