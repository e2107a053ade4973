/** Where consent for an MCP server is given, from documents that the server and others publish. */
import assert from 'node:assert/strict';
import { discoverAuthorization } from '@casebook/mcp';

const URL_OF_SERVER = 'https://tools.example.com/mcp';
const ISSUER = 'https://login.example.com';

/** @param documents by path */
const published =
  (documents: Readonly<Record<string, object>>) =>
  async (url: string | URL): Promise<Response> => {
    const document = documents[new URL(url).pathname];
    return document ? Response.json(document) : new Response(null, { status: 404 });
  };
const resource = { resource: URL_OF_SERVER, authorization_servers: [ISSUER] };
const server = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
};
const discover = (more: { resource?: object; server?: object } = {}) =>
  discoverAuthorization(
    URL_OF_SERVER,
    undefined,
    published({
      '/.well-known/oauth-protected-resource/mcp': { ...resource, ...more.resource },
      '/.well-known/oauth-authorization-server': { ...server, ...more.server },
    }),
  );

describe('the authorization server of an MCP server', () => {
  it('is found, with whether it names itself beside each code', async () => {
    const { issuer, authorization_response_iss_parameter_supported: namesItself } = await discover();
    assert.deepEqual([issuer, namesItself], [ISSUER, true]);
  });

  it('is not believed to be another', async () => {
    await assert.rejects(discover({ server: { issuer: 'https://accounts.example.org' } }), /is another server's/);
    await assert.rejects(discover({ resource: { resource: 'https://other.example.com/' } }), /another resource/);
  });

  it('has to know PKCE', async () => {
    await assert.rejects(discover({ server: { code_challenge_methods_supported: ['plain'] } }), /no PKCE with S256/);
  });

  it('has pages that a browser may open', async () => {
    await assert.rejects(discover({ server: { authorization_endpoint: 'javascript:alert(1)' } }));
  });
});
