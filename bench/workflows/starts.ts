/** The least a workflow can do before its first activity begins, in each way the SDK has. */
import * as wf from '@temporalio/workflow';

export interface StartActivities {
  begun(id: string): Promise<void>;
}

const options = { startToCloseTimeout: '1 minute' } as const;
const polled = wf.proxyActivities<StartActivities>({ ...options, allowEagerDispatch: false });
const eager = wf.proxyActivities<StartActivities>(options);
const local = wf.proxyLocalActivities<StartActivities>(options);

export const started = wf.defineUpdate<boolean>('started');

export async function beginsPolled(id: string): Promise<void> {
  await polled.begun(id);
}

export async function beginsEagerly(id: string): Promise<void> {
  wf.setHandler(started, () => true);
  await eager.begun(id);
}

export async function beginsLocally(id: string): Promise<void> {
  await local.begun(id);
}
