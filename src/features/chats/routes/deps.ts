import type { ApiDeps } from '../../../http/deps.ts';
import { endpointFor } from '../../../http/endpoint.ts';
import type { EventLog } from '../../../platform/event-log/port.ts';
import type { ProgressReader } from '../../runs/index.ts';
import type { ReadScopes } from '../../transcripts/index.ts';
import type { ChatControlDeps } from '../control.ts';

export interface ChatDeps extends ApiDeps {
  chats: ChatControlDeps;
  chatProgress: ProgressReader;
  events: EventLog;
  readScopes: ReadScopes;
}

export const chatEndpoint = endpointFor<ChatDeps>();
export const READ = 'chats:read';
export const WRITE = 'chats:write';
export const tags = ['Chats'];
