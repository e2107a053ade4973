/** The command line. */
import { parseArgs } from 'node:util';

export const USAGE = `Usage: satellite [options] [file]

Answers Casebook's questions about the systems in this network. What it may ask of which system is in a YAML file
(default: CASEBOOK_SATELLITE_CONFIG, else ./satellite.yaml).

Options:
  --check     check the file and ask every system once, then end
  --version   print the version
  --help      print this

Environment:
  CASEBOOK_URL, CASEBOOK_SATELLITE_TOKEN, CASEBOOK_SATELLITE_HEALTH_PORT   override the file
  any other   wherever the file says \${NAME} or \${NAME:-default}

Exit codes: 0 ended as asked, 1 something fails, 2 the file or the command line is wrong
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
