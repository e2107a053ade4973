import { findGoProgram } from './go-program.ts';

/** Finds Grafana Loki, or builds it. Debian has a program of that name that does genetics. */
export function findLokiBinary(): Promise<string> {
  return findGoProgram({
    title: 'Grafana Loki',
    command: 'loki',
    module: 'github.com/grafana/loki/v3',
    version: 'v3.7.8',
    package: 'cmd/loki',
    identify: { args: ['--version'], says: 'loki, version' },
    website: 'https://grafana.com/docs/loki/latest/setup/install/',
  });
}
