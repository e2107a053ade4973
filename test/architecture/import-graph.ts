/** Who imports whom at run time: type-only imports are gone, as they are when Node runs the file. */
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { init, parse } from 'es-module-lexer';

export interface Import {
  from: string;
  /** A path from the repository's root, or a package's name. */
  to: string;
}

const ROOT = resolve(import.meta.dirname, '../..');

/** Every run-time import of the .ts files below the folders, with paths from the repository's root. */
export async function runtimeImports(folders: readonly string[]): Promise<Import[]> {
  await init();
  return folders.flatMap(filesBelow).flatMap((from) => {
    const code = stripTypeScriptTypes(readFileSync(join(ROOT, from), 'utf8'));
    const [imports] = parse(code, from);
    return imports.flatMap(({ specifier }) =>
      typeof specifier !== 'string' ? [] : [{ from, to: target(from, specifier) }],
    );
  });
}

/** The .ts files below a folder, with paths from the repository's root. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}

/** The text of a file, by its path from the repository's root. */
export const readSource = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

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

function target(from: string, specifier: string): string {
  if (specifier.startsWith('.')) return relative(ROOT, resolve(ROOT, dirname(from), specifier));
  const [scope = '', name] = specifier.split('/');
  return specifier.startsWith('@') ? `${scope}/${name}` : scope;
}
