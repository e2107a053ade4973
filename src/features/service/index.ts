export { currentDeployment, type Deployment } from './deployment.ts';
export { coalescedChecks, runChecks, sharedChecks, type CheckResult } from './readiness.ts';
export { serviceEndpoints, type ServiceDeps } from './routes.ts';
