/** Writes demo/incidents and demo/truth. The result depends on the scenarios and their seeds only. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { scenarios } from './scenarios/index.ts';
import { simulateIncident } from './simulator/incident.ts';
import { alertRules, shop } from './simulator/shop.ts';
import { writeIncident } from './write-incident.ts';

const here = import.meta.dirname;

for (const scenario of scenarios) {
  const incident = simulateIncident(shop, alertRules, scenario);
  await rm(join(here, 'incidents', scenario.id), { recursive: true, force: true });
  await writeIncident(incident, join(here, 'incidents'), join(here, 'truth'));
  const alert = incident.alerts[0]!;
  const after = Math.round((alert.at - scenario.onset) / 60);
  console.log(
    `${scenario.id}: ${incident.metrics.length} series, ${incident.logs.length} log lines; ${alert.name} ${after} min after the onset`,
  );
}
