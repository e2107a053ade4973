/** A read-only client for systems with an HTTP API. */
export { createHttpApi, RefusedRequest, type HttpApi, type Query } from './client.ts';
export { httpApiConfig } from './config.ts';
