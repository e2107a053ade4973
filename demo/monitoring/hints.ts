import type { CasebookAddress } from '../casebook-api.ts';

/** Commands for a shell by which a person goes on with the agent: each with what it is for. */
export function agentHints({ apiUrl, apiKey }: CasebookAddress, agentId: string): { command: string; what: string }[] {
  const request = (path: string, more = '') => `curl -s -H "$key" ${more}$agents${path}`;
  const json = `-H 'Content-Type: application/json' `;
  const say = JSON.stringify({ chat_id: agentId, message: 'check every minute instead' });
  return [
    { command: `agents=${apiUrl}/api/monitoring-chat key='X-API-Key: ${apiKey}' id=${agentId}`, what: '' },
    { command: request('/list'), what: 'all agents, and how they stand' },
    { command: request('/$id/plan'), what: 'what it watches' },
    { command: request('/$id/sessions'), what: 'what each check said' },
    { command: request('/$id/findings'), what: 'what it found' },
    { command: request('/$id/run', `${json}-d '{}' `), what: 'check now' },
    { command: request('', `${json}-d '${say}' `), what: 'talk to it' },
    { command: request('/$id/pause', '-X POST '), what: 'and /resume' },
    { command: request('/$id', '-X DELETE '), what: 'delete it' },
  ];
}
