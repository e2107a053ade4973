/** The command line. */
import { parseArgs } from 'node:util';

export const USAGE = `Usage: satellite [options] [file]

Answers Casebook's queries about the systems in this network. A YAML file lists the systems and what may be queried
(default: CASEBOOK_SATELLITE_CONFIG, else ./satellite.yaml).

Options:
  --check     check the file, probe every system once, then exit
  --version   print the version
  --help      print this

Environment:
  CASEBOOK_URL, CASEBOOK_SATELLITE_TOKEN, CASEBOOK_SATELLITE_HEALTH_PORT   override the file
  any other   wherever the file has \${NAME} or \${NAME:-default}

Exit codes: 0 success, 1 a system failed, 2 invalid file or command line
`;

export interface Arguments {
  file: string;
  mode: 'run' | 'check' | 'help' | 'version';
}

/** @throws {TypeError} for an unknown option or more than one file */
export function readArguments(argv: readonly string[], configFile: string | undefined): Arguments {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      check: { type: 'boolean' },
      version: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (positionals.length > 1) throw new TypeError(`expected one file, not ${positionals.length}`);
  const file = positionals[0] ?? (configFile || 'satellite.yaml');
  const mode = values.help ? 'help' : values.version ? 'version' : values.check ? 'check' : 'run';
  return { file, mode };
}
