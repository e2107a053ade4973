import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { endpoints } from '../../src/app.ts';
import { openApiDocument } from '../../src/http/docs/openapi.ts';
import { documents, ROOT } from './markdown.ts';

const all = documents();
const scriptsOf = (folder: string): Record<string, string> =>
  z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))).scripts;

/** Every script by how it is named: `test`, and `dev -w web` for one of the web app's. */
const scripts: Record<string, string> = {
  ...scriptsOf('.'),
  ...Object.fromEntries(Object.entries(scriptsOf('web')).map(([name, script]) => [`${name} -w web`, script])),
};

describe('documents: commands', () => {
  const namedScripts = (text: string): string[] => [
    ...[...text.matchAll(/npm run (?:-s |--silent )?([\w:-]+(?: -w \w+)?)/g)].map(([, name = '']) => name),
    ...[...text.matchAll(/npm (test|start)\b/g)].map(([, name = '']) => name),
  ];

  it('every npm script that is named is in package.json', () => {
    const unknown = all.flatMap(({ path, text }) =>
      namedScripts(text)
        .filter((name) => scripts[name] === undefined)
        .map((name) => `${path}: npm run ${name}`),
    );
    assert.deepEqual(unknown, []);
  });

  it('every npm script is explained to those who use or change Casebook', () => {
    const readers = all.filter(({ path }) => path === 'README.md' || path === 'CONTRIBUTING.md');
    const explained = new Set(readers.flatMap(({ text }) => namedScripts(text)));
    const hooks = Object.keys(scripts).filter((name) => name.startsWith('pre') && scripts[name.slice(3)] !== undefined);
    const silent = Object.keys(scripts).filter((name) => !hooks.includes(name) && !explained.has(name));
    assert.deepEqual(silent, []);
  });

  it('every program that is run by its path exists', () => {
    const programs = all.flatMap(({ text }) => [...text.matchAll(/\bnode ([\w./-]+\.(?:ts|mjs))/g)]);
    const missing = programs.map(([, file = '']) => file).filter((file) => !existsSync(join(ROOT, file)));
    assert.deepEqual(missing, []);
  });
});

describe('documents: endpoints', () => {
  interface Named {
    method?: string;
    path: string;
  }

  const served = endpoints.map(({ method, path }) => ({ method: method.toUpperCase(), path }));

  /** Whether an endpoint answers this; `$ID` or `{id}` stands for a parameter. */
  const isServed = ({ method, path }: Named): boolean =>
    served.some((endpoint) => {
      if (method !== undefined && endpoint.method !== method) return false;
      const [expected, given] = [endpoint.path.split('/'), path.split('/')];
      const fits = (part: string, index: number): boolean =>
        part === expected[index] || (part.startsWith('$') && expected[index]?.startsWith('{') === true);
      return expected.length === given.length && given.every(fits);
    });

  /** `curl … "$CASEBOOK/path" …`, with the method that its options ask for. */
  const inCommands = (block: string): Named[] =>
    block
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .flatMap((line) => {
        const path = /\$CASEBOOK(\/[^"'\s?]*)/.exec(line)?.[1];
        if (path === undefined) return [];
        return [{ method: /-X (\w+)/.exec(line)?.[1] ?? (/ -d /.test(line) ? 'POST' : 'GET'), path }];
      });

  const inSpans = (spans: string[]): Named[] =>
    spans.flatMap((span) => {
      const [, method, path] = /^(?:(GET|POST|PUT|PATCH|DELETE) )?(\/[\w{}/.-]+)$/.exec(span) ?? [];
      return path === undefined ? [] : [{ method, path }];
    });

  it('every endpoint that is named is served, with the method that is shown', () => {
    const guide = all.find(({ path }) => path === 'docs/http-api.md');
    assert.ok(guide && guide.blocks.flatMap(inCommands).length >= 10);
    const unknown = all.flatMap(({ path: from, blocks, spans }) =>
      [...blocks.flatMap(inCommands), ...inSpans(spans)]
        .filter((named) => !isServed(named))
        .map((named) => ({ from, ...named })),
    );
    assert.deepEqual(unknown, []);
  });

  it('every endpoint of a command is in the OpenAPI document', () => {
    const paths = Object.keys(openApiDocument(endpoints).paths ?? {});
    const templates = paths.map((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '\\$\\w+')}$`));
    const named = all.flatMap(({ blocks }) => blocks.flatMap(inCommands));
    assert.deepEqual(
      named.filter(({ path }) => !templates.some((template) => template.test(path))),
      [],
    );
  });
});
