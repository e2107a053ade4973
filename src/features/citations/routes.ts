import { apiKey } from '../../http/authenticate.ts';
import type { ApiDeps } from '../../http/deps.ts';
import { endpointFor } from '../../http/endpoint.ts';
import { extractExcerpts, type CitationServiceDeps } from './extract.ts';
import { CitationExtractionRequest, CitationExtractionResponse } from './schemas.ts';

export interface CitationDeps extends ApiDeps {
  citations: CitationServiceDeps;
}

/** Room for a 5 MB result with every character escaped, plus the text. */
const BODY_LIMIT_BYTES = 16 * 1_048_576;
const BODY_LIMIT_NODES = 1_000_000;

const extractCitation = endpointFor<CitationDeps>()({
  method: 'post',
  path: '/api/extract-citation',
  operationId: 'extractCitation',
  summary: 'Extract the excerpts that support a citation',
  description:
    'Every chunk is found in the result by string search. Numbers are compared within the rounding that the text shows, ' +
    'across units and time zones; where the result says something else, there is no chunk. With a model key a model ' +
    'chooses among what matches; without one, or when it does not answer in time, the matcher does.',
  tags: ['Citations'],
  auth: apiKey('chats:read'),
  body: CitationExtractionRequest,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  bodyLimitNodes: BODY_LIMIT_NODES,
  bodyTextMember: 'tool_result',
  response: CitationExtractionResponse,
  errors: [503],
  handler: async (call) => {
    const { tool_result: toolResult, citation_id: citationId, text_with_citation: text } = call.body;
    const { deps, principal, signal, log } = call;
    const query = { content: toolResult, citationId, text };
    const request = { teamId: principal.teamId, query, em: () => call.em, signal, log };
    return { excerpts: await extractExcerpts(deps.citations, request) };
  },
});

export const citationEndpoints = [extractCitation];
