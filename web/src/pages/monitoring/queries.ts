/** Queries of the monitoring pages. */
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../api/client.ts';
import { pollMs } from '../../api/polling.ts';
import { useToaster } from '../../components/ui/toast.tsx';

export type Agent = Schema<'MonitoringChatSummary'>;
export type AgentPlan = Schema<'MonitoringPlanResponse'>;
export type PlanVersion = Schema<'MonitoringPlanVersion'>;
export type SessionSummary = Schema<'MonitoringSessionSummary'>;

/** Poll faster while the first plan is drafted: somebody is waiting for it. */
const DRAFTING_MS = 1_500;

const one = (agentId: string) => ({ params: { path: { chat_id: agentId } } });

export const agentsQuery = queryOptions({
  queryKey: ['monitoring', 'list'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/monitoring-chat/list', { signal })),
  refetchInterval: ({ state }) => pollMs(state.error, state.data?.chats.some(({ active }) => active) === true),
});

export const agentQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['monitoring', agentId, 'agent'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/monitoring-chat/{chat_id}', { ...one(agentId), signal })),
    refetchInterval: ({ state: { data, error } }) =>
      error === null && data && isDrafting(data) ? DRAFTING_MS : pollMs(error, data?.active === true),
  });

export const planQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['monitoring', agentId, 'plan'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/monitoring-chat/{chat_id}/plan', { ...one(agentId), signal })),
    refetchInterval: ({ state }) => pollMs(state.error, state.data?.active === true),
  });

export const versionsQuery = (agentId: string, page: number) =>
  queryOptions({
    queryKey: ['monitoring', agentId, 'versions', page],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/monitoring-chat/{chat_id}/plan/versions', {
          params: { path: { chat_id: agentId }, query: { page, count: 20 } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export interface SessionFilter {
  status?: SessionSummary['status'] | undefined;
  check?: string | undefined;
  page?: number;
  count?: number;
}

export const sessionsQuery = (agentId: string, { status, check, page = 1, count = 20 }: SessionFilter) =>
  queryOptions({
    queryKey: ['monitoring', agentId, 'sessions', { status, check, page, count }],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/monitoring-chat/{chat_id}/sessions', {
          params: {
            path: { chat_id: agentId },
            query: { page, count, ...(status && { status }), ...(check !== undefined && { check_id: check }) },
          },
          signal,
        }),
      ),
    // A requested run starts a moment later.
    refetchInterval: ({ state }) => pollMs(state.error, true),
    placeholderData: keepPreviousData,
  });

export const sessionQuery = (agentId: string, sessionId: string) =>
  queryOptions({
    queryKey: ['monitoring', agentId, 'session', sessionId],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/monitoring-chat/{chat_id}/sessions/{session_id}', {
          params: { path: { chat_id: agentId, session_id: sessionId } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? 2_000 : false),
  });

export const configQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['monitoring', agentId, 'config'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/monitoring-chat/{chat_id}/config', { ...one(agentId), signal })),
  });

/** Whether its first plan is still being drafted. */
export const isDrafting = ({ status, plan_version: version, checks }: Agent): boolean =>
  status === 'starting' && version === 1 && checks === 0;

/** Actions on an agent; everything shown about it is refetched afterwards. */
export function useAgentActions(agentId: string) {
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['monitoring'] });
  const pause = useMutation({
    mutationFn: () => dataOf(api.POST('/api/monitoring-chat/{chat_id}/pause', one(agentId))),
    onSuccess: () => toaster.say('Agent paused.'),
    onError: toaster.fail,
    onSettled: refresh,
  });
  const resume = useMutation({
    mutationFn: () => dataOf(api.POST('/api/monitoring-chat/{chat_id}/resume', one(agentId))),
    onSuccess: () => toaster.say('Agent resumed.'),
    onError: toaster.fail,
    onSettled: refresh,
  });
  const run = useMutation({
    mutationFn: (checks: string[] | undefined) =>
      dataOf(api.POST('/api/monitoring-chat/{chat_id}/run', { ...one(agentId), body: checks ? { checks } : {} })),
    onSuccess: ({ checks }) => toaster.say(checks.length === 1 ? 'Check started.' : `${checks.length} checks started.`),
    onError: toaster.fail,
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/api/monitoring-chat/{chat_id}', one(agentId))),
    onSuccess: () => toaster.say('Agent deleted.'),
    onError: toaster.fail,
  });
  return { pause, resume, run, remove, refresh };
}

/**
 * Saves a whole plan over the version it is based on.
 * @param isDry validates and returns the resulting plan without saving it
 */
export const savePlan = (agentId: string, body: Schema<'UpdatePlanRequest'>, isDry = false) =>
  dataOf(
    api.PATCH('/api/monitoring-chat/{chat_id}/plan', {
      params: { path: { chat_id: agentId }, ...(isDry && { query: { dry_run: true } }) },
      body,
    }),
  );

export const saveConfig = (agentId: string, body: Schema<'UpdateAgentChannelRequest'>) =>
  dataOf(api.PATCH('/api/monitoring-chat/{chat_id}/config', { ...one(agentId), body }));

export const testChannel = (agentId: string) =>
  dataOf(api.POST('/api/monitoring-chat/{chat_id}/config/test', one(agentId)));
