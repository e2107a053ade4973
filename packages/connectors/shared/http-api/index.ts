/** The HTTP APIs of systems: one client, which only reads. */
export { createHttpApi, type HttpApi, type Query } from './client.ts';
export { httpApiConfig } from './config.ts';
