/** What people do with findings by buttons in Slack. */
import { z } from 'zod';
import { anyTeam, forTeam } from '../../../db/team-filter.ts';
import { endpointFor } from '../../../http/endpoint.ts';
import { HttpError, NotFound, Unauthorized } from '../../../http/errors.ts';
import { ContentResponse } from '../../../http/respond.ts';
import { Membership, User } from '../../identity/index.ts';
import { DeliveryError, isFromSlack, readPress, threadOf, type SlackPress } from '../../notifications/index.ts';
import { Finding, MonitoringAgent } from '../entities.ts';
import { actOnFinding, BUTTONS, type WantedAct } from '../findings/index.ts';
import type { MonitoringDeps } from './deps.ts';

const MUTE_MS = 4 * 3_600_000;
const MAX_BYTES = 256 * 1_024;

/**
 * Takes what Slack sends when a button of a finding is pressed. Slack's signature proves the sender; the message must be
 * one of the finding's own, and the person a member of its team, by the address in their Slack profile.
 */
export const slackInteractions = endpointFor<MonitoringDeps>()({
  method: 'post',
  path: '/api/slack/interactions',
  operationId: 'slackInteraction',
  summary: 'Press a button in Slack',
  tags: ['monitoring'],
  auth: 'none',
  undocumented: true,
  // A form with a member `payload`.
  rawBody: z.unknown(),
  bodyLimitBytes: MAX_BYTES,
  content: { 'text/plain': 'Nothing' },
  async handler({ ctx, deps, rawBody }) {
    const { signingSecret } = deps.channels.slack;
    if (signingSecret === undefined) throw new NotFound();
    const body = rawBody.toString('utf8');
    const request = { timestamp: ctx.get('x-slack-request-timestamp'), signature: ctx.get('x-slack-signature'), body };
    if (!isFromSlack(signingSecret, request, deps.clock.now().getTime()))
      throw new Unauthorized('The request is not signed by Slack.');
    const press = readPress(body);
    // Links are buttons, too, and need no answer.
    if (press && press.action in BUTTONS) {
      const problem = await carryOut(deps, press);
      if (problem !== undefined && press.responseUrl !== undefined)
        await deps.notifier.replyInSlack(press.responseUrl, problem);
    }
    return new ContentResponse('text/plain', '');
  },
});

/** @returns why it was not carried out, for the person */
async function carryOut(deps: MonitoringDeps, press: SlackPress): Promise<string | undefined> {
  const gone = 'This finding no longer exists.';
  if (!z.uuid().safeParse(press.value).success) return gone;
  const finding = await deps.orm.em.fork().findOne(Finding, { id: press.value }, anyTeam);
  if (!finding || finding.agentId === null) return gone;
  const { id, teamId, agentId } = finding;
  const em = forTeam(deps.orm.em, teamId);
  const agent = await em.findOne(MonitoringAgent, { id: agentId });
  if (!agent?.channel) return gone;
  const thread = await threadOf(em, id, agent.channel);
  // Whoever has the app in another workspace can post a message with any value.
  if (thread?.['channel'] !== press.channel || thread['ts'] !== press.rootTs) return gone;
  try {
    const email = await deps.notifier.slackEmail(agent.channel, teamId, press.slackUserId);
    const user = email === undefined ? null : await em.findOne(User, { email: email.toLowerCase() });
    const member = user && (await em.findOne(Membership, { userId: user.id }));
    if (!member) return 'No team member has the email address of your Slack profile.';
    const actor = { teamId, userId: member.userId, scopes: [] };
    await actOnFinding(deps.monitoring, em, actor, id, wantedOf(press, member.userId, deps.clock.now()), 'slack');
    return undefined;
  } catch (error) {
    if (error instanceof HttpError || error instanceof DeliveryError) return error.message;
    throw error;
  }
}

function wantedOf({ action }: SlackPress, userId: string, now: Date): WantedAct {
  if (action === 'finding_acknowledge') return { act: 'acknowledge', acknowledged: true };
  if (action === 'finding_assign') return { act: 'assign', userId };
  if (action === 'finding_mute') return { act: 'mute', until: new Date(now.getTime() + MUTE_MS) };
  return { act: 'close' };
}
