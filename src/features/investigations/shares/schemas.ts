import { z } from 'zod';
import { InvestigationParams, reportFields } from '../schemas.ts';

const time = z.iso.datetime();

export const ShareParams = InvestigationParams.extend({ share_id: z.guid().meta({ format: 'uuid' }) });

export const ShareRequest = z
  .object({
    expires_in_days: z.int().min(1).max(90).default(7).describe('It never outlives the API key it comes from.'),
    label: z.string().trim().max(100).default('').describe('Who it is for.'),
  })
  .meta({ id: 'InvestigationShareRequest' });

const shareFields = z.object({
  id: z.uuid(),
  label: z.string(),
  created_by: z.string().nullable().describe('The name of the member who created it; null for a program.'),
  created_at: time,
  expires_at: time,
  revoked_at: time.nullable(),
  opened: z.int().describe('How often it was opened.'),
  last_opened_at: time.nullable(),
});

export const ShareResponse = shareFields.meta({ id: 'InvestigationShare' });

export const ShareListResponse = z
  .object({ shares: z.array(ShareResponse) })
  .meta({ id: 'InvestigationShareListResponse' });

export const ShareCreatedResponse = shareFields
  .extend({
    token: z.string().describe('Shown only once.'),
    url: z.string().describe('The link; the token is in its fragment, which no server sees.'),
  })
  .meta({ id: 'InvestigationShareCreatedResponse' });

export const SharedHeaders = z.object({
  'x-share-token': z.string().min(1).max(512).describe('The token of a read-only link.'),
});

const { report, citations, ...shown } = reportFields;

export const SharedReportResponse = z
  .object({
    ...shown,
    report: report.unwrap(),
    citations: z.array(citations.element.omit({ tool_call_id: true }).meta({ id: 'SharedCitation' })),
    title: z.string(),
    status: z.enum(['completed', 'failed', 'cancelled']),
    limit_reached: z.string().nullable(),
    created_at: time,
    finished_at: time.nullable(),
    expires_at: time.describe('When the link expires.'),
  })
  .meta({ id: 'SharedReportResponse' });
