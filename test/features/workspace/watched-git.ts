/** A Git that writes down how it is called, and may kill the whole process group when it is called for the n-th time. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface WatchedGit {
  program: string;
  /** Names of the commands so far. */
  calls(): string[];
}

export function watchedGit(folder: string, name: string, killAtCall = 0): WatchedGit {
  const program = join(folder, name);
  const log = `${program}.log`;
  const script = [
    '#!/bin/sh',
    // Calls of one commit may run at once: appending a short line is atomic.
    `echo "$@" >> '${log}'`,
    `[ "$(wc -l < '${log}')" -eq ${killAtCall} ] && kill -9 0`,
    'exec git "$@"',
  ];
  writeFileSync(program, `${script.join('\n')}\n`);
  chmodSync(program, 0o755);
  return {
    program,
    calls() {
      const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
      return lines.map((line) => /^--git-dir=\S+(?: -c \S+)* (\S+)/.exec(line)?.[1] ?? line);
    },
  };
}
