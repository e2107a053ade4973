/** The map of the API: every room and where its endpoints are. */
import { join } from 'node:path';
import type Koa from 'koa';
import { seriesEndpoints } from './features/charts/index.ts';
import { chatEndpoints, type ChatDeps } from './features/chats/index.ts';
import { citationEndpoints, type CitationDeps } from './features/citations/index.ts';
import { identityEndpoints, type IdentityDeps } from './features/identity/index.ts';
import { investigationEndpoints, type InvestigationDeps } from './features/investigations/index.ts';
import { monitoringEndpoints, type MonitoringDeps } from './features/monitoring-agents/index.ts';
import { satelliteEndpoints, type SatelliteDeps } from './features/satellites/index.ts';
import { serviceEndpoints, type ServiceDeps } from './features/service/index.ts';
import { sourceEndpoints, type SourceDeps } from './features/sources/index.ts';
import { docsEndpoints } from './http/docs.ts';
import type { Endpoint } from './http/endpoint.ts';
import { transcriptEndpoints } from './features/transcripts/index.ts';
import { serveEndpoints } from './http/serve-endpoints.ts';

/** What all rooms together need. */
export type AppDeps = ServiceDeps &
  IdentityDeps &
  InvestigationDeps &
  ChatDeps &
  CitationDeps &
  SourceDeps &
  SatelliteDeps &
  MonitoringDeps;

/** Every endpoint of the API, room by room. */
export const endpoints: readonly Endpoint<AppDeps>[] = [
  ...serviceEndpoints, // /error, /api/test-eks-deploy, /healthz, /readyz, /metrics
  ...identityEndpoints, // /api/teams, /api/team, /api/api-keys, /api/users, /api/sign-in, /api/session, /api/sign-in-links
  ...investigationEndpoints, // /api/v1/investigate, /api/v1/investigations, /api/investigations
  ...chatEndpoints, // /api/v1/chat, /api/chat, /api/chat-viz, /api/charts, /api/chat-editor
  ...citationEndpoints, // /api/extract-citation
  ...transcriptEndpoints, // /api/tool-results
  ...seriesEndpoints, // /api/tool-results/{tool_id}/series
  ...sourceEndpoints, // /api/sources
  ...monitoringEndpoints, // /api/monitoring-chat, /api/monitor, /api/findings
  ...satelliteEndpoints, // /satellite, /api/satellite-tokens
  ...docsEndpoints(() => endpoints), // /openapi.json, /docs
];

const WEB_FOLDER = join(import.meta.dirname, '../web/dist');

/** The API and the web app as a Koa app. */
export const createApp = (deps: AppDeps): Koa => serveEndpoints(endpoints, deps, { webFolder: WEB_FOLDER });
