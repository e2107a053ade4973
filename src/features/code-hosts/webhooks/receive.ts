/** Takes what a code host reports: whose it is, that it is genuine, and what follows from it. */
import {
  deliveryOf,
  readWebhook,
  verifyWebhook,
  type CodeHostKind,
  type HostEvent,
  type WebhookHeaders,
} from '@casebook/connectors';
import type { Orm } from '../../../db/orm.ts';
import { anyTeam, forTeam } from '../../../db/team-filter.ts';
import { Unauthorized } from '../../../http/errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import { storableText } from '../../../platform/storable.ts';
import { claimEffect, endEffect } from '../../effects/index.ts';
import { Integration, type FamilyName } from '../../integrations/index.ts';
import { Repository } from '../entities.ts';
import { recordWanted } from '../mirrors/index.ts';
import type { WebhookListener } from '../port.ts';

export interface WebhookDeps {
  orm: Orm;
  clock: Clock;
  log: Logger;
  /** The secret with which the host of an integration signs; empty if it has none. */
  secretOf(row: Integration): string;
  listeners: readonly WebhookListener[];
  /** Starts the mirrors of repositories that are recorded as wanted. Never fails. */
  start(repositories: readonly Repository[]): Promise<void>;
}

/** `unread`: not what such a host sends. `ignored`: about no repository that anybody has connected. */
export type Received = 'unread' | 'ignored' | 'duplicate' | 'taken';

const FAMILIES: Readonly<Record<CodeHostKind, FamilyName>> = { github: 'github', gitea: 'gitea', gitlab: 'codehost-b' };

/** Hosts let people repeat deliveries for about as long. */
const DELIVERY_KEPT_MS = 3 * 24 * 3_600_000;

/** @throws {Unauthorized} when it was signed with no secret of the repository's connections */
export async function receiveWebhook(deps: WebhookDeps, headers: WebhookHeaders, rawBody: Buffer): Promise<Received> {
  const kind = kindOf(headers);
  if (kind === undefined) return 'unread';
  const event = readWebhook(kind, headers, parsed(rawBody));
  if (!event) return event === null ? 'ignored' : 'unread';
  const candidates = await candidatesOf(deps, kind, event);
  if (candidates.length === 0) return 'ignored';
  const genuine = await verified(deps, kind, headers, rawBody, candidates);
  if (genuine.length === 0) throw new Unauthorized('The delivery is not signed with the secret of its connection.');
  const delivery = deliveryOf(headers);
  const taken = await Promise.all(genuine.map((repository) => take(deps, event, repository, delivery)));
  return taken.includes(true) ? 'taken' : 'duplicate';
}

/** Gitea sends GitHub's headers as well. */
function kindOf(headers: WebhookHeaders): CodeHostKind | undefined {
  if (headers['x-gitlab-event'] !== undefined) return 'gitlab';
  if (headers['x-gitea-event'] !== undefined) return 'gitea';
  return headers['x-github-event'] === undefined ? undefined : 'github';
}

function parsed(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'));
  } catch {
    return undefined;
  }
}

interface Candidate {
  repository: Repository;
  integration: Integration;
}

/** Of every team; another host may have given the same id to another repository, so names that match come first. */
async function candidatesOf(
  { orm }: WebhookDeps,
  kind: CodeHostKind,
  { repository: { id: hostId, fullName } }: HostEvent,
): Promise<Candidate[]> {
  // No row has such an id, and the database would not even look.
  if (storableText(hostId) !== hostId) return [];
  const em = orm.em.fork();
  const repositories = await em.find(Repository, { hostId, integrationId: { $ne: null } }, anyTeam);
  if (repositories.length === 0) return [];
  const ids = repositories.flatMap(({ integrationId }) => integrationId ?? []);
  const where = { id: { $in: ids }, family: FAMILIES[kind], enabled: true };
  const integrations = new Map((await em.find(Integration, where, anyTeam)).map((row) => [row.id, row]));
  const all = repositories.flatMap((repository): Candidate[] => {
    const integration = integrations.get(repository.integrationId ?? '');
    return integration ? [{ repository, integration }] : [];
  });
  const isNamed = ({ repository }: Candidate): number => Number(repository.fullName === fullName);
  return all.toSorted((a, b) => isNamed(b) - isNamed(a));
}

/** Those whose secret it was signed with; only those of the same name, if there are any. */
async function verified(
  { secretOf }: WebhookDeps,
  kind: CodeHostKind,
  headers: WebhookHeaders,
  rawBody: Buffer,
  candidates: readonly Candidate[],
): Promise<Repository[]> {
  const found: Repository[] = [];
  let name: string | undefined;
  for (const { repository, integration } of candidates) {
    if (name !== undefined && repository.fullName !== name) break;
    if (!(await verifyWebhook(kind, headers, rawBody, secretOf(integration)))) continue;
    found.push(repository);
    name ??= repository.fullName;
  }
  return found;
}

/** @returns whether it is news. A delivery that was not carried out to the end is repeated from its beginning. */
async function take(
  deps: WebhookDeps,
  event: HostEvent,
  repository: Repository,
  delivery: string | undefined,
): Promise<boolean> {
  const { orm, clock, listeners } = deps;
  const { id, teamId } = repository;
  const em = forTeam(orm.em, teamId);
  const now = clock.now();
  const effect =
    delivery === undefined
      ? undefined
      : await claimEffect(em, {
          teamId,
          kind: 'webhook',
          key: `webhook:${id}:${delivery}`,
          keptForMs: DELIVERY_KEPT_MS,
          now,
        });
  if (effect?.status === 'done') return false;
  if (event.type === 'push' || event.type === 'create' || event.type === 'delete') {
    const news = await recordWanted(em, [repository], now);
    // Not awaited: the host wants an answer, and what Temporal does not accept is started by the sweep.
    if (news.length > 0) void deps.start(news);
  }
  for (const listener of listeners) await listener(event, repository);
  if (effect) await endEffect(em, effect.id, { status: 'done', receipt: { type: event.type } });
  return true;
}
