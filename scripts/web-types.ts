/**
 * Writes the types of the web app's API client from the OpenAPI document of this repository's endpoints,
 * for the type checker and the editor: a build needs none.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { endpoints } from '../src/app.ts';
import { openApiDocument } from '../src/http/docs/openapi.ts';

const ROOT = join(import.meta.dirname, '..');

/** The generated file, from the root of the repository. */
const TYPES_FILE = 'web/src/api/schema.d.ts';

const HEADER = `/** Written by \`npm run types:web\` from the endpoints of the API; changes by hand are lost. */

`;

/** What is used of openapi-typescript, which lives in the workspace of the web app with the TypeScript 5 that it needs. */
interface OpenApiTypeScript {
  /** @returns nodes of a TypeScript syntax tree */
  default(document: object): Promise<unknown[]>;
  astToString(nodes: unknown[]): string;
}

/** The TypeScript declarations of every path, operation and schema of the API. */
async function webTypes(): Promise<string> {
  const inWeb = createRequire(join(ROOT, 'web/package.json'));
  const generator: OpenApiTypeScript = inWeb('openapi-typescript');
  const nodes = await generator.default({ ...openApiDocument(endpoints) });
  return HEADER + generator.astToString(nodes);
}

const file = join(ROOT, TYPES_FILE);
const types = await webTypes();
// Not rewritten when nothing has changed, so that file watchers stay quiet.
if (!existsSync(file) || readFileSync(file, 'utf8') !== types) {
  writeFileSync(file, types);
  console.log(`Wrote ${TYPES_FILE}`);
}
