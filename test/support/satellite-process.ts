/** A satellite as its operator runs it: a process with a YAML file, a token in another file, and a log on standard error. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { waitUntil } from './wait-until.ts';
import { startProgram, type Program } from './program.ts';

/** A record of the log. */
export interface LogLine {
  msg: string;
  reason?: string;
  nextAttemptInMs?: number;
  satelliteId?: string;
}

export interface SatelliteProcess extends Program {
  /** Casebook's id of it; known once it was connected. */
  readonly id: string;
  /** What it has said since it was last started. */
  log(): LogLine[];
  /** Waits until it has said something so many times since it was last started. */
  untilSaid(msg: string, times?: number): Promise<LogLine>;
  /** Replaces what is in the token's file. */
  writeToken(token: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it and waits until it is connected. @param options.settings more of the YAML file */
export async function startSatelliteProcess(options: {
  url: string;
  token: string;
  name: string;
  settings: Record<string, unknown>;
}): Promise<SatelliteProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'casebook-satellite-'));
  const files = { config: join(folder, 'satellite.yaml'), token: join(folder, 'token') };
  const { url, name, settings } = options;
  await writeFile(files.token, options.token);
  await writeFile(
    files.config,
    stringify({
      casebook: { url, token_file: files.token },
      name,
      log_level: 'debug',
      // What is in nobody's way must not end a query here.
      limits: { query_timeout_seconds: 120 },
      graph: { enabled: false },
      ...settings,
    }),
  );
  const main = join(import.meta.dirname, '..', '..', 'satellite', 'main.ts');
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
  const program = startProgram({ args: [main, files.config], env });
  const log = (): LogLine[] =>
    program
      .output()
      .split('\n')
      .flatMap((line): LogLine[] => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line)] : []));
  const untilSaid = (msg: string, times = 1): Promise<LogLine> =>
    waitUntil(() => log().filter((line) => line.msg === msg)[times - 1], {
      what: `"${msg}" in the log of the satellite ${name}, ${times} times`,
      intervalMs: 20,
    });
  const stop = async (): Promise<void> => {
    await program.kill();
    await rm(folder, { recursive: true, force: true });
  };
  let id: string;
  try {
    id = (await untilSaid('connected')).satelliteId!;
  } catch (error) {
    await stop();
    throw new Error(`The satellite did not connect:\n${program.output()}`, { cause: error });
  }
  return Object.assign(program, {
    id,
    log,
    untilSaid,
    stop,
    writeToken: (token: string) => writeFile(files.token, token),
  });
}
