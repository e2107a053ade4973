import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'mocha';

/** A new, empty home folder for the tests of one `describe`, removed afterwards. Its mode is 0700, as `mktemp -d` makes it. */
export function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'casebook-test-'));
  after(() => rmSync(home, { recursive: true, force: true }));
  return home;
}
