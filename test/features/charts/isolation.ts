import type { CreateIsolation } from '../../http/support/team-isolation.ts';
import { ownedToolCall } from '../transcripts/isolation.ts';

export const isolation: CreateIsolation = (owner) => {
  const { id } = ownedToolCall(owner);
  return { examples: { getToolResultSeries: { params: { tool_id: id } } }, secrets: [id] };
};
