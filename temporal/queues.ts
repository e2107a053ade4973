/** The task queue of workflows and activities. A single queue: every worker can do all the work. */
export const TASK_QUEUE = 'casebook';
