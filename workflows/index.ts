/** Every workflow a worker can run. The name here is the workflow type in Temporal. */
export { chatTurn } from './chats.ts';
export { extractCitation } from './citations.ts';
export { investigation } from './investigations.ts';
