export { currentDeployment, type Deployment } from './deployment.ts';
export { coalescedChecks, runChecks, sharedChecks, type CheckResult } from './readiness.ts';
export type { ServiceDeps } from './routes.ts';
export { serviceRoom } from './room.ts';
