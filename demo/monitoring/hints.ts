import type { CasebookAddress } from '../casebook-api.ts';

/** Shell commands to continue with the agent, each with its purpose. */
export function agentHints({ apiUrl, apiKey }: CasebookAddress, agentId: string): { command: string; what: string }[] {
  const curl = (rest: string) => `curl -s -H "$key" ${rest}`;
  const say = JSON.stringify({ chat_id: agentId, message: 'did you find anything?' });
  return [
    { command: `agents=${apiUrl}/api/monitoring-chat key='X-API-Key: ${apiKey}' id=${agentId}`, what: '' },
    { command: curl('$agents/list'), what: 'all agents and their status' },
    { command: curl('$agents/$id/plan'), what: 'what it watches' },
    { command: curl('$agents/$id/sessions'), what: 'the results of each check' },
    { command: curl('$agents/$id/findings'), what: 'what it found' },
    { command: curl("--json '{}' $agents/$id/run"), what: 'check now' },
    { command: curl('-X POST $agents/$id/pause'), what: 'or /resume' },
    { command: curl('-X DELETE $agents/$id'), what: 'delete it' },
    { command: curl(`--json '${say}' $agents`), what: 'talk to it' },
  ];
}
