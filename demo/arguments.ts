import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commitIncident, liveIncidents, type LiveIncident } from './shop/incidents.ts';

/** Incidents recorded for the demo. */
export const DEMO_INCIDENTS = join(import.meta.dirname, 'incidents');

const DEFAULT_FAULT = 'connection-leak';
const DEFAULT_INCIDENT = 'checkout-errors';

export const USAGE =
  'Usage: npm run demo -- [--fault NAME | --code-host] [--query TEXT] [--no-monitor] [--exit]\n' +
  '  or:  npm run demo -- --recorded [--incident NAME] [--query TEXT] [--exit]\n' +
  `  Faults: ${Object.keys(liveIncidents).join(', ')}`;

/** Options of `npm run demo`. */
export interface Wanted {
  exit: boolean;
  /** Undefined: a recorded incident is investigated. */
  fault?: LiveIncident;
  /** Whether the shop has a code host, where a commit breaks it. */
  codeHost: boolean;
  /** Whether a monitoring agent is made afterwards, which only a live shop has a use for. */
  monitor: boolean;
  /** A question to ask instead of submitting the alert. */
  query?: string;
  /** The question about the recorded incident. */
  recorded: string;
}

/**
 * Reads the command line.
 * @param incidentsDir folder of the recorded incidents
 * @throws when there is no such option, fault or incident
 */
export function readArguments(args: readonly string[], incidentsDir: string): Wanted {
  const { values } = parseArgs({
    args: [...args],
    options: {
      exit: { type: 'boolean', default: false },
      fault: { type: 'string' },
      'code-host': { type: 'boolean', default: false },
      'no-monitor': { type: 'boolean', default: false },
      recorded: { type: 'boolean', default: false },
      incident: { type: 'string' },
      query: { type: 'string' },
    },
  });
  const { exit, query, 'code-host': codeHost } = values;
  const names = readdirSync(incidentsDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  const incident = values.incident ?? DEFAULT_INCIDENT;
  if (values.incident !== undefined && !names.includes(incident))
    throw new Error(`There is no incident "${incident}". There are: ${names.join(', ')}`);
  const recorded = query ?? questionAboutRecorded(join(incidentsDir, incident));
  if (values.recorded || values.incident !== undefined) {
    if (values.fault !== undefined || codeHost)
      throw new Error(`${codeHost ? '--code-host' : '--fault'} cannot be combined with a recorded incident.`);
    return { exit, query, recorded, codeHost, monitor: false };
  }
  if (codeHost) {
    if (values.fault !== undefined) throw new Error('With --code-host, a commit is the fault: --fault has no place.');
    return { exit, query, recorded, codeHost, fault: commitIncident, monitor: false };
  }
  const name = values.fault ?? DEFAULT_FAULT;
  const fault = Object.hasOwn(liveIncidents, name) ? liveIncidents[name] : undefined;
  if (!fault) throw new Error(`There is no fault "${name}".`);
  return { exit, query, recorded, codeHost, fault, monitor: !values['no-monitor'] };
}

/** What an on-call engineer would paste: the alert. */
function questionAboutRecorded(folder: string): string {
  const incident: { title: string; alerts: { name: string; at: string; summary: string }[] } = JSON.parse(
    readFileSync(join(folder, 'incident.json'), 'utf8'),
  );
  const [alert] = incident.alerts;
  if (!alert) return incident.title;
  return `${incident.title}. Alert ${alert.name} fired at ${alert.at}: ${alert.summary}. What is the root cause?`;
}
