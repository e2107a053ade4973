/**
 * Programs of vendors that are MCP servers, as npm packages. They are large, so an operator installs the ones that are
 * wanted; nothing here downloads anything.
 */
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { z } from 'zod';

/** The project, where optional packages are installed unless a folder says otherwise. */
const PROJECT = resolve(import.meta.dirname, '../..');

const manifest = z.object({
  name: z.string(),
  version: z.string(),
  bin: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

/** How to start a program. */
export interface ToolServerProgram {
  command: string;
  args: string[];
}

/**
 * Finds the program of an installed package. If the package only chooses between packages with a program for each
 * platform, named `NAME-PLATFORM-ARCHITECTURE`, it is the one for this platform: such a chooser is one more process, and
 * may download what is missing.
 * @param name of the package
 * @param version exactly the one wanted
 * @param folder where `npm install --prefix FOLDER` put it; the project's own packages are searched after it
 * @returns undefined when that version is not installed, or has no program
 */
export function findToolServer(name: string, version: string, folder?: string): ToolServerProgram | undefined {
  for (const root of folder === undefined ? [PROJECT] : [resolve(folder), PROJECT]) {
    const program = programIn(join(root, 'node_modules'), name, version);
    if (program !== undefined) return program;
  }
  return undefined;
}

function programIn(modules: string, name: string, version: string): ToolServerProgram | undefined {
  const folder = join(modules, name);
  const found = manifestOf(folder);
  if (found?.name !== name || found.version !== version) return undefined;
  const platform = `${name}-${process.platform}-${process.arch}`;
  const wanted = found.optionalDependencies[platform];
  if (wanted !== undefined) {
    return programIn(join(folder, 'node_modules'), platform, wanted) ?? programIn(modules, platform, wanted);
  }
  const path = typeof found.bin === 'string' ? found.bin : Object.values(found.bin ?? {})[0];
  const file = path === undefined ? undefined : fileInside(folder, path);
  if (file === undefined) return undefined;
  return isScript(file) ? { command: process.execPath, args: [file] } : { command: file, args: [] };
}

function manifestOf(folder: string): z.output<typeof manifest> | undefined {
  try {
    return manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  } catch {
    // Not installed, or not as a package is.
    return undefined;
  }
}

/** @returns undefined when there is no such file in the folder */
function fileInside(folder: string, path: string): string | undefined {
  const file = resolve(folder, path);
  const within = relative(folder, file);
  if (within.startsWith('..') || isAbsolute(within)) return undefined;
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? file : undefined;
}

/** Scripts run on the Node that runs us, not on whichever is on PATH. */
function isScript(file: string): boolean {
  return /\.[cm]?js$/u.test(file);
}
