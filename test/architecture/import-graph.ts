/** Who imports whom at run time: type-only imports are gone, as they are when Node runs the file. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { init, parse } from 'es-module-lexer';
import { z } from 'zod';

export interface Import {
  from: string;
  /** A path from the repository's root, or a package's name. */
  to: string;
}

const ROOT = resolve(import.meta.dirname, '../..');

/** The run-time imports of a .ts or .tsx file, with paths from the repository's root. */
export async function importsOf(from: string): Promise<Import[]> {
  await init();
  const code = from.endsWith('.tsx') ? withoutJsx(from) : stripTypeScriptTypes(readSource(from));
  const [imports] = parse(code, from);
  return imports.flatMap(({ specifier }) =>
    typeof specifier !== 'string' ? [] : [{ from, to: target(from, specifier) }],
  );
}

/** Every run-time import of the files below the folders. */
export const runtimeImports = async (folders: readonly string[]): Promise<Import[]> =>
  (await Promise.all(folders.flatMap(filesBelow).map(importsOf))).flat();

/** The .ts and .tsx files below a folder, declarations apart, with paths from the repository's root. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.d)\.tsx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}

/** The text of a file, by its path from the repository's root. */
export const readSource = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Everything a file of ours names as a relative import, types included, with paths from the repository's root. */
export const relativeImports = (file: string): Import[] =>
  [...readSource(file).matchAll(/(?:from|import\(|import)\s*'(\.[^']+)'/g)].map(([, specifier = '']) => ({
    from: file,
    to: target(file, specifier),
  }));

/** @returns the files of one import cycle, or undefined when there is none */
export function findCycle(imports: readonly Import[]): string[] | undefined {
  const edges = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const { to } of edges.get(file) ?? []) {
      const cycle = visit(to, [...path, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of edges.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}

/** Node strips types and leaves JSX; the TypeScript 5 of the web app's workspace turns it into calls. */
function withoutJsx(file: string): string {
  const typescript: unknown = createRequire(join(ROOT, 'web/package.json'))('typescript');
  const { transpileModule, JsxEmit } = z
    .object({ transpileModule: z.custom<Transpile>(), JsxEmit: z.object({ ReactJSX: z.number() }) })
    .parse(typescript);
  const compilerOptions = { jsx: JsxEmit.ReactJSX, target: 99, module: 99, verbatimModuleSyntax: true };
  return transpileModule(readSource(file), { fileName: file, compilerOptions }).outputText;
}

type Transpile = (text: string, options: { fileName: string; compilerOptions: object }) => { outputText: string };

function target(from: string, specifier: string): string {
  if (specifier.startsWith('.')) return relative(ROOT, resolve(ROOT, dirname(from), specifier));
  if (specifier.startsWith('@casebook/')) return workspaceFile(specifier);
  const [scope = '', name] = specifier.split('/');
  return specifier.startsWith('@') ? `${scope}/${name}` : scope;
}

/** The file that Node loads for the name of one of our packages: npm links them into node_modules. */
export const workspaceFile = (specifier: string): string =>
  relative(ROOT, fileURLToPath(import.meta.resolve(specifier)));
