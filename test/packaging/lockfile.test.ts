import assert from 'node:assert/strict';
import { textOf } from './repository.ts';

interface LockedPackage {
  version?: string;
  /** Of a workspace: its folder, which has the rest of what is known of it. */
  resolved?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

describe('package-lock.json', () => {
  const packages: Record<string, LockedPackage> = JSON.parse(textOf('package-lock.json')).packages;

  /** Where Node would find `name` from the package at `path`: in its own folder or in one above it. */
  const find = (path: string, name: string): LockedPackage | undefined => {
    // A workspace is a folder of its own, such as satellite: above it is the root.
    const above = (folder: string): string =>
      folder.includes('node_modules/') ? folder.replace(/(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$/, '') : '';
    for (let folder = path; ; folder = above(folder)) {
      const found = packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`];
      if (found || folder === '') return found?.link ? packages[found.resolved!] : found;
    }
  };

  // npm leaves out what the registry does not have at that moment, and then `npm ci` refuses the file everywhere.
  it('has every package that another one asks for, those of other platforms included', () => {
    const missing = Object.entries(packages).flatMap(([path, entry]) =>
      Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
        .filter((name) => find(path, name)?.version === undefined)
        .map((name) => `${path || 'casebook'} -> ${name}`),
    );
    assert.deepEqual(missing, []);
  });
});
