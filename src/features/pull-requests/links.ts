/** Addresses in the web app. */
import type { PullRequest } from './entities.ts';

type Origin = Pick<PullRequest, 'origin' | 'createdInConversationId'>;

/** @param appUrl without a trailing slash */
export const originUrl = (appUrl: string, { origin, createdInConversationId: id }: Origin): string =>
  `${appUrl}/${origin}/${id}`;

/** Opens the result of a tool call beside it. */
export const evidenceUrl = (appUrl: string, origin: Origin, toolCallId: string): string =>
  `${originUrl(appUrl, origin)}?call=${toolCallId}`;
