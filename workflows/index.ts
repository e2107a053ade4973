/** Every workflow a worker can run. The name here is the workflow type in Temporal. */
export { chatTurn } from './chats.ts';
export { investigation } from './investigations.ts';
