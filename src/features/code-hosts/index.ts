/** Code hosts: the repositories that a team connects, and their mirrors. */
export { Repository } from './entities.ts';
export type { CodeHosts, Mirror, WebhookListener } from './port.ts';
export { MirrorsBusy, registerMirrorMetrics, type Mirrors } from './mirrors/index.ts';
export { codeHostsRoom } from './room.ts';
