/** Azure Monitor: logs, metrics and the activity log of one subscription. */
import { defineConnectorKind } from '../connector.ts';
import { activityOperations } from './activity.ts';
import { createAzureCloud } from './cloud.ts';
import { azureMonitorConfig } from './config.ts';
import { connectionOperation, readSubscription } from './connection.ts';
import { logOperations } from './logs.ts';
import { metricOperations } from './metrics.ts';
import { resourceOperations } from './resources.ts';

export const azuremonitor = defineConnectorKind({
  kind: 'azuremonitor',
  config: azureMonitorConfig,
  create(config, { id, title, network, now }) {
    const cloud = createAzureCloud(config, { network, now });
    return {
      id,
      kind: 'azuremonitor',
      title,
      operations: [
        ...logOperations(cloud),
        ...metricOperations(cloud),
        ...activityOperations(cloud),
        ...resourceOperations(cloud),
        connectionOperation(cloud),
      ],
      async check(signal) {
        await readSubscription(cloud, signal);
      },
      close: () => cloud.close(),
    };
  },
});
