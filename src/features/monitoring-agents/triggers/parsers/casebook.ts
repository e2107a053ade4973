/** Casebook's own formats: for scripts, pipelines and tools with configurable bodies. */
import { z } from 'zod';
import { checkId, MAX_CHECKS, SEVERITIES } from '../../plan/schema.ts';
import { bareTitle, fingerprintOf, alertsTrigger, parser, worded } from './parser.ts';
import { boundedLabels, linksOf, serviceOf } from '../labels.ts';
import { clip, line } from '../text.ts';
import { MAX_LINKS, type Trigger } from '../port.ts';
import { alertStatus } from './alertmanager.ts';

const text = (most: number) => z.string().max(most).regex(/\S/, 'Value must not be blank');
const fingerprint = text(1_000).describe(
  'The same for every report of the same alert or deploy; by default derived from the rest.',
);
const page = z.url({ protocol: /^https?$/ }).max(2_000);

const AlertTrigger = z
  .object({
    type: z.literal('alert'),
    title: text(1_000),
    summary: z.string().max(20_000).optional(),
    severity: z.enum(SEVERITIES).default('warning'),
    service: text(200).optional(),
    fingerprint: fingerprint.optional(),
    status: alertStatus.default('firing'),
    labels: z.record(z.string().max(200), z.string().max(5_000)).default({}),
    links: z
      .array(z.object({ label: text(100).default('Link'), url: page }))
      .max(MAX_LINKS)
      .default([]),
  })
  .meta({ id: 'AlertTrigger', description: "An alert, in Casebook's own format." });

const DeployTrigger = z
  .object({
    type: z.literal('deploy'),
    service: text(200),
    version: text(200).optional(),
    environment: text(200).optional(),
    author: text(200).optional(),
    url: page.optional(),
    summary: z.string().max(20_000).optional(),
    fingerprint: fingerprint.optional(),
  })
  .meta({
    id: 'DeployTrigger',
    description: 'A new version of a service was deployed: agents run their checks at once.',
  });

const CheckNowTrigger = z
  .object({
    type: z.literal('check_now'),
    checks: z
      .array(checkId)
      .min(1)
      .max(MAX_CHECKS)
      .optional()
      .describe('Ids of checks, as in the plan; by default all of them.'),
  })
  .meta({ id: 'CheckNowTrigger', description: 'Run checks now, instead of when they are next due.' });

/** Notifications show only the label: an alert's sender could call any page "Investigation". */
const withHost = ({ label, url }: { label: string; url: string }) => ({ label: `${new URL(url).host}: ${label}`, url });

const optional = (value: string | undefined): string | undefined => value && line(value, 200);

const isType = (type: string) => (body: Record<string, unknown>) => body['type'] === type;

export const alertParser = parser(isType('alert'), AlertTrigger, (alert) => {
  const { title, service, labels, severity, status } = alert;
  const named = service === undefined ? serviceOf(labels) : line(service, 200);
  const identity = { ...labels, title: bareTitle(title), ...(service !== undefined && { service }) };
  return alertsTrigger('casebook', [
    {
      fingerprint: fingerprintOf('casebook', alert.fingerprint, identity),
      source: 'casebook',
      ...worded(title, alert.summary),
      severity,
      service: named,
      status,
      labels: boundedLabels(labels),
      links: linksOf(alert.links.map(withHost)),
    },
  ]);
});

export const deployParser = parser(isType('deploy'), DeployTrigger, (deploy): Trigger => {
  const { service, version, environment } = deploy;
  const identity = { service, version: version ?? '', environment: environment ?? '' };
  return {
    kind: 'deploy',
    source: 'casebook',
    deploy: {
      fingerprint: fingerprintOf('deploy', deploy.fingerprint, identity),
      service: line(service, 200),
      version: optional(version),
      environment: optional(environment),
      author: optional(deploy.author),
      url: deploy.url,
      summary: deploy.summary === undefined ? undefined : clip(deploy.summary, 2_000),
    },
  };
});

export const checkNowParser = parser(isType('check_now'), CheckNowTrigger, ({ checks }): Trigger => ({
  kind: 'check_now',
  source: 'casebook',
  ...(checks && { checkIds: [...new Set(checks)].toSorted() }),
}));
