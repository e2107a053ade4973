import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the repository. */
export const root = resolve(import.meta.dirname, '../..');

/** The text of a file of the repository. */
export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The files of the repository that one of its programs reaches, itself included: by relative imports and by packages. */
export function importedFrom(program: string): Set<string> {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file) || !existsSync(file)) return;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, specifier] of text.matchAll(/(?:from|import\(|import)\s*'((?:\.{1,2}|@casebook)\/[^']+)'/g)) {
      visit(
        specifier!.startsWith('.') ? resolve(file, '..', specifier!) : fileURLToPath(import.meta.resolve(specifier!)),
      );
    }
  };
  visit(join(root, program));
  return new Set([...seen].map((file) => relative(root, file)));
}

/** Whether a program answers to its name on this machine. */
export function hasCommand(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
