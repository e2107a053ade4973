/** Code hosts: the repositories that a team connects, and their mirrors. */
export { Repository } from './entities.ts';
export type { CodeHosts, Mirror, WebhookListener } from './port.ts';
export { codeHostsRoom } from './room.ts';
