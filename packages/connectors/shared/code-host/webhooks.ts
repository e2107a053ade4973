/** What code hosts send to a webhook: whether it is theirs, and what it reports. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { verify } from '@octokit/webhooks-methods';
import { z } from 'zod';
import type { CodeHostKind, HostEvent } from './port.ts';

/** As Node has them: names in lower case. */
export type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>;

const MAX_DELIVERY_CHARACTERS = 200;

/**
 * Whether a delivery comes from a host that knows the secret: GitHub and Gitea sign the body, GitLab sends the secret.
 * Compared in constant time.
 * @param rawBody as it was received, before it is parsed
 */
export async function verifyWebhook(
  kind: CodeHostKind,
  headers: WebhookHeaders,
  rawBody: Buffer,
  secret: string,
): Promise<boolean> {
  if (secret === '') return false;
  if (kind === 'gitlab') return isEqual(headerOf(headers, 'x-gitlab-token'), secret);
  const signature = headerOf(headers, 'x-hub-signature-256');
  return signature !== '' && rawBody.byteLength > 0 && (await verify(secret, rawBody.toString(), signature));
}

function isEqual(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

/** The delivery's id, the same when the host repeats it; undefined if it has none. */
export function deliveryOf(headers: WebhookHeaders): string | undefined {
  const names = ['x-github-delivery', 'x-gitea-delivery', 'idempotency-key', 'x-gitlab-event-uuid'];
  const found = names.map((name) => headerOf(headers, name)).find((id) => id !== '');
  return found?.slice(0, MAX_DELIVERY_CHARACTERS);
}

/**
 * What a delivery reports; most kinds of events are `other`.
 * @param body parsed
 * @returns null for an event of an organization or an installation, which is about no repository; undefined if it is
 *   not such a host's delivery
 */
export function readWebhook(kind: CodeHostKind, headers: WebhookHeaders, body: unknown): HostEvent | null | undefined {
  if (kind === 'gitlab') return readGitLab(headerOf(headers, 'x-gitlab-event'), body);
  // Gitea sends GitHub's headers as well.
  return readGitHub(headerOf(headers, 'x-github-event'), body);
}

const id = z.union([z.number().int(), z.string().min(1).max(200)]).transform(String);
const name = z.string().min(1).max(1_000);
const number = z.number().int().positive();

/** The branch of a full name of a reference; null for a tag. */
const branchOf = (ref: string): string | null => /^refs\/heads\/(.+)$/u.exec(ref)?.[1] ?? null;

const gitHub = z.object({
  repository: z.object({ id, full_name: name }).transform((found) => ({ id: found.id, fullName: found.full_name })),
});
const push = z.object({ ref: name });
const reference = z.object({ ref: name, ref_type: z.enum(['branch', 'tag']) });
const pullRequest = z.object({ pull_request: z.object({ number }) });
const workflowRun = z.object({ workflow_run: z.object({ id, head_sha: name, head_branch: name.nullish() }) });

/** Whether an event always names its repository; those of an organization or an App installation do not. */
const isOfRepository = (event: string): boolean => /^(?:push|create|delete|pull_request.*|workflow_run)$/u.test(event);
const ofNoRepository = z.looseObject({ repository: z.undefined().optional() });

function readGitHub(event: string, body: unknown): HostEvent | null | undefined {
  const about = gitHub.safeParse(body).data;
  if (event === '') return undefined;
  if (!about) return !isOfRepository(event) && ofNoRepository.safeParse(body).success ? null : undefined;
  const { repository } = about;
  if (event === 'push') {
    const { data } = push.safeParse(body);
    return data && { repository, type: 'push', branch: branchOf(data.ref) };
  }
  if (event === 'create' || event === 'delete') {
    const { data } = reference.safeParse(body);
    return data && { repository, type: event, ref: `refs/${data.ref_type === 'tag' ? 'tags' : 'heads'}/${data.ref}` };
  }
  // Reviews are events of their own; Gitea has one for each verdict. Comments change nothing.
  if (/^pull_request(?:_review|_approved|_rejected)?$/u.test(event)) {
    const { data } = pullRequest.safeParse(body);
    return data && { repository, type: 'pull_request', number: data.pull_request.number };
  }
  if (event === 'workflow_run') {
    const { data } = workflowRun.safeParse(body);
    if (!data) return undefined;
    const { id: runId, head_sha, head_branch } = data.workflow_run;
    return { repository, type: 'run', runId, commit: head_sha, branch: head_branch ?? null };
  }
  return { repository, type: 'other', name: event.slice(0, 100) };
}

const gitLab = z.object({
  object_kind: z.string().max(100),
  project: z
    .object({ id, path_with_namespace: name })
    .transform((found) => ({ id: found.id, fullName: found.path_with_namespace })),
});
const mergeRequest = z.object({ object_attributes: z.object({ iid: number }) });
const pipeline = z.object({ object_attributes: z.object({ id, sha: name, ref: name, tag: z.boolean().catch(false) }) });

/** GitLab has no events for new and deleted branches: it is a push from, or to, nothing. */
function readGitLab(event: string, body: unknown): HostEvent | undefined {
  const about = gitLab.safeParse(body).data;
  if (!about || event === '') return undefined;
  const { object_kind: kind, project: repository } = about;
  if (kind === 'push' || kind === 'tag_push') {
    const { data } = push.safeParse(body);
    return data && { repository, type: 'push', branch: branchOf(data.ref) };
  }
  if (kind === 'merge_request') {
    const { data } = mergeRequest.safeParse(body);
    return data && { repository, type: 'pull_request', number: data.object_attributes.iid };
  }
  if (kind === 'pipeline') {
    const { data } = pipeline.safeParse(body);
    if (!data) return undefined;
    const { id: runId, sha, ref, tag } = data.object_attributes;
    return { repository, type: 'run', runId, commit: sha, branch: tag ? null : ref };
  }
  return { repository, type: 'other', name: kind };
}
