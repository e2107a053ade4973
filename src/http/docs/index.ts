import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
// The package's own entry point would load the page's scripts into this process, which runs none of them.
import swaggerUiFolder from 'swagger-ui-dist/absolute-path.js';
import { z } from 'zod';
import { ContentResponse } from '../respond.ts';
import { endpoint, type Endpoint } from '../endpoint.ts';
import type { ApiDeps } from '../deps.ts';
import { NotFound } from '../errors.ts';
import { openApiDocument } from './openapi.ts';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Casebook API</title>
<link rel="stylesheet" href="docs/assets/swagger-ui.css">
<link rel="icon" type="image/png" href="docs/assets/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="docs/assets/swagger-ui-bundle.js"></script>
<script src="docs/assets/start.js"></script>
</body>
</html>
`;

const START = `window.ui = SwaggerUIBundle({ url: 'openapi.json', dom_id: '#swagger-ui', deepLinking: true, persistAuthorization: false });
`;

/** Scripts from this origin only; inline styles too, because Swagger UI sets them on elements. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const MEDIA_TYPES: Record<string, string> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  'favicon-32x32.png': 'image/png',
};

/**
 * Serves `/openapi.json` and a page for people at `/docs`, all from the package: no other host is contacted.
 * @param endpoints the endpoints to document; called once, on the first request for the document
 */
export function docsEndpoints(endpoints: () => readonly Endpoint<never>[]): Endpoint<ApiDeps>[] {
  let document: Record<string, unknown> | undefined;
  return [
    endpoint({
      method: 'get',
      path: '/openapi.json',
      operationId: 'getOpenApi',
      summary: 'The OpenAPI 3.1 document',
      tags: ['Service'],
      auth: 'none',
      rateLimited: false,
      undocumented: true,
      response: z.record(z.string(), z.unknown()),
      handler: async () => (document ??= { ...openApiDocument(endpoints()) }),
    }),
    endpoint({
      method: 'get',
      path: '/docs',
      operationId: 'getDocs',
      summary: 'Interactive API documentation',
      tags: ['Service'],
      auth: 'none',
      rateLimited: false,
      undocumented: true,
      content: { 'text/html': 'The page' },
      handler: async () => new ContentResponse('text/html', PAGE, { 'Content-Security-Policy': PAGE_POLICY }),
    }),
    endpoint({
      method: 'get',
      path: '/docs/assets/{file}',
      operationId: 'getDocsAsset',
      summary: 'An asset of the documentation page',
      tags: ['Service'],
      auth: 'none',
      rateLimited: false,
      undocumented: true,
      params: z.object({ file: z.string() }),
      content: { 'text/css': 'A style sheet', 'text/javascript': 'A script', 'image/png': 'An icon' },
      handler: async ({ params: { file } }) => {
        const headers = { 'Cache-Control': 'public, max-age=3600' };
        if (file === 'start.js') return new ContentResponse('text/javascript', START, headers);
        const mediaType = Object.hasOwn(MEDIA_TYPES, file) ? MEDIA_TYPES[file] : undefined;
        if (mediaType === undefined) throw new NotFound();
        return new ContentResponse(mediaType, await readFile(join(swaggerUiFolder(), file)), headers);
      },
    }),
  ];
}
