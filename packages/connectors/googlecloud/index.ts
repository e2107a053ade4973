/** Google Cloud's observability: Logging, Monitoring, Trace and Error Reporting of one project. */
import { defineConnectorKind } from '../connector.ts';
import { changeOperations } from './changes.ts';
import { createGoogleCloud } from './cloud.ts';
import { googleCloudConfig } from './config.ts';
import { checkProject, connectionOperation } from './connection.ts';
import { errorGroupOperations } from './error-groups.ts';
import { logOperations } from './logs.ts';
import { metricOperations } from './metrics.ts';
import { traceOperations } from './traces.ts';

export { GOOGLE_ERROR_REPORTING_SCOPES, GOOGLE_READING_SCOPES } from './tokens.ts';

export const googlecloud = defineConnectorKind({
  kind: 'googlecloud',
  config: googleCloudConfig,
  create(config, { id, title, network, now }) {
    const cloud = createGoogleCloud(config, { network, now });
    return {
      id,
      kind: 'googlecloud',
      title,
      operations: [
        ...logOperations(cloud),
        ...metricOperations(cloud),
        ...traceOperations(cloud),
        ...errorGroupOperations(cloud),
        ...changeOperations(cloud),
        connectionOperation(cloud),
      ],
      check: (signal) => checkProject(cloud, signal),
      close: () => cloud.close(),
    };
  },
});
