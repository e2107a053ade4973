/** Google's error responses, with the words that help. */
import { z } from 'zod';
import { RefusedRequest } from '../shared/http-api/index.ts';
import { SERVICES, type GoogleService } from './services.ts';

const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';

const errorBody = z.object({
  error: z.object({
    status: z.string().default('UNKNOWN'),
    message: z.string().default(''),
    details: z
      .array(
        z.object({
          '@type': z.string().optional(),
          reason: z.string().optional(),
          metadata: z.record(z.string(), z.string()).optional(),
        }),
      )
      .default([]),
  }),
});

export interface GoogleError {
  /** The canonical code, such as `PERMISSION_DENIED`. */
  status: string;
  message: string;
  /** Why, if Google says so: `SERVICE_DISABLED`, `IAM_PERMISSION_DENIED`. */
  reason?: string;
  permission?: string;
}

/** @returns undefined when something other than one of Google's APIs wrote this */
export function readError(body: string): GoogleError | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  const { data } = errorBody.safeParse(parsed);
  if (!data) return undefined;
  const { status, message, details } = data.error;
  const info = details.find(({ '@type': type }) => type === ERROR_INFO);
  return { status, message, reason: info?.reason, permission: info?.metadata?.['permission'] };
}

/** Google's message, and what would let the request through. */
export function explain(service: GoogleService, body: string): string | undefined {
  const error = readError(body);
  if (!error) return undefined;
  const advice = adviceFor(service, error);
  return `${error.status}: ${error.message.trim()}${advice && `${/[.!?]$/u.test(error.message.trim()) ? '' : '.'} ${advice}`}`;
}

function adviceFor(service: GoogleService, { status, reason, permission }: GoogleError): string {
  const { title, permission: needed, role, api } = SERVICES[service];
  if (reason === 'SERVICE_DISABLED') return `Enable ${api} in the project.`;
  if (reason === 'ACCESS_TOKEN_SCOPE_INSUFFICIENT') {
    return service === 'clouderrorreporting'
      ? `${title} accepts only the scope cloud-platform, which allows more than reading: connect a service account to read it.`
      : `The token has no scope for ${title}: consent to it again.`;
  }
  if (status === 'PERMISSION_DENIED') return `It takes the permission ${permission ?? needed}, which ${role} grants.`;
  if (status === 'UNAUTHENTICATED') return 'The credential is wrong, has expired or was revoked.';
  return '';
}

/**
 * Why a request failed: `credential` is not accepted, `project` does not exist, the service's API is `disabled` or not
 * `permitted`; undefined for anything else, such as a service that is down.
 */
export function causeOf(error: unknown): 'credential' | 'project' | 'disabled' | 'permission' | undefined {
  if (!(error instanceof RefusedRequest)) return undefined;
  const said = readError(error.body);
  if (!said) return undefined;
  if (error.status === 401) return 'credential';
  if (error.status === 404 || said.reason === 'CONSUMER_INVALID' || said.reason === 'RESOURCE_PROJECT_INVALID')
    return 'project';
  if (error.status !== 403) return undefined;
  return said.reason === 'SERVICE_DISABLED' ? 'disabled' : 'permission';
}
