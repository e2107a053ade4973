/** Every workflow a worker can run. The export's name is the workflow type in Temporal. */
export { chatTurn } from './chats.ts';
export { extractCitation } from './citations.ts';
export { finding } from './findings.ts';
export { instructionCheck } from './instruction-checks.ts';
export { investigation } from './investigations.ts';
export { mirror } from './mirrors.ts';
export { monitoringAgent } from './monitoring-agents.ts';
export { pullRequest } from './pull-requests.ts';
