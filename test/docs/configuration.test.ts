import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurations } from '../../src/rooms.ts';
import { documents, ROOT } from './markdown.ts';

const DOCUMENT = 'docs/configuration.md';
const COMPOSE_HEADING = '## docker compose only';

interface Row {
  name: string;
  defaultValue: string;
}

/** Rows of the tables whose first cell is a variable. */
function rowsOf(text: string): Row[] {
  return [...text.matchAll(/^\| `([A-Z][A-Z0-9_]+)` +\| ([^|]+?) +\|/gm)].map(([, name = '', defaultValue = '']) => ({
    name,
    defaultValue,
  }));
}

describe('documents: configuration', () => {
  const all = documents();
  const document = all.find(({ path }) => path === DOCUMENT);
  assert.ok(document);
  const [ours = '', compose = ''] = document.text.split(COMPOSE_HEADING);
  const variables = configurations.flatMap((part) => Object.entries(part.in.shape));
  const declared = variables.map(([name]) => name);
  const composeVariables = new Set(
    [...readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8').matchAll(/(?<!\$)\$\{(\w+)/g)].map(
      ([, name = '']) => name,
    ),
  );

  it('finds what it compares', () => {
    assert.ok(declared.includes('PORT') && declared.includes('LOKI_URL'));
    assert.ok(composeVariables.has('POSTGRES_PASSWORD'));
  });

  it('every variable of the house and its rooms is documented once, and no other', () => {
    assert.deepEqual(
      rowsOf(ours)
        .map(({ name }) => name)
        .sort(),
      declared.toSorted(),
    );
  });

  it('gives the defaults that the code has', () => {
    const defaults = new Map(rowsOf(ours).map(({ name, defaultValue }) => [name, defaultValue.replaceAll('`', '')]));
    const inCode = variables.flatMap(([name, schema]) => {
      const value: unknown = schema.parse(undefined);
      return value === undefined ? [] : [[name, JSON.stringify(value).replaceAll('"', '')] as const];
    });
    assert.ok(inCode.length > 8);
    for (const [name, value] of inCode) assert.equal(defaults.get(name), value || 'none', name);
  });

  it('every variable of the compose file is documented', () => {
    const known = new Set([...declared, ...rowsOf(compose).map(({ name }) => name)]);
    assert.deepEqual(
      [...composeVariables].filter((name) => !known.has(name)),
      [],
    );
    assert.deepEqual(
      rowsOf(compose).filter(({ name }) => !composeVariables.has(name)),
      [],
    );
  });

  it('no document names a variable that nothing reads', () => {
    const development = readFileSync(join(ROOT, 'web/vite.config.ts'), 'utf8').matchAll(/process\.env\['(\w+)'\]/g);
    const known = new Set([...declared, ...composeVariables, ...[...development].map(([, name = '']) => name)]);
    const pattern = /\b(?:CASEBOOK|ANTHROPIC|TEMPORAL|POSTGRES|PROMETHEUS|LOKI|DATABASE|REDIS)_[A-Z][A-Z_]*\b/g;
    const unknown = all.flatMap(({ path, text }) =>
      [...text.matchAll(pattern)].filter(([name]) => !known.has(name)).map(([name]) => `${path}: ${name}`),
    );
    assert.deepEqual(unknown, []);
  });
});
