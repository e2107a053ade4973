import type { Room } from '../../room.ts';
import { serviceEndpoints } from './routes.ts';
export { currentDeployment, type Deployment } from './deployment.ts';
export { coalescedChecks, runChecks, sharedChecks, type CheckResult } from './readiness.ts';
export type { ServiceDeps } from './routes.ts';

export const serviceRoom = {
  name: 'service',
  endpoints: serviceEndpoints,
} satisfies Room;
