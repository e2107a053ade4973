import type { CreateIsolation } from '../../http/support/team-isolation.ts';

export const isolation: CreateIsolation = () => ({
  examples: {
    extractCitation: { body: { tool_result: 'found', citation_id: 1, text_with_citation: 'It was found [1].' } },
  },
  secrets: [],
});
