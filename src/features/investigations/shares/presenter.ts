import type { z } from 'zod';
import { shownStatus } from '../../runs/index.ts';
import type { Investigation } from '../entities.ts';
import { presentReport } from '../presenter.ts';
import type { ShareResponse, SharedReportResponse } from './schemas.ts';
import type { Share } from './service.ts';

export const presentShare = ({ row, credential, createdBy }: Share): z.input<typeof ShareResponse> => ({
  id: row.id,
  label: credential.name,
  created_by: createdBy,
  created_at: row.createdAt.toISOString(),
  expires_at: endOf(credential).toISOString(),
  revoked_at: credential.revokedAt?.toISOString() ?? null,
  opened: row.opened,
  last_opened_at: row.lastOpenedAt?.toISOString() ?? null,
});

const NO_RESPONSE = 'It did not respond.';

const endOf = ({ expiresAt }: Share['credential']): Date => {
  if (expiresAt == null) throw new TypeError('A read-only link has an end.');
  return expiresAt;
};

/**
 * What everybody with the link may see: the report and what it cites, and nothing of the team, its code, the run or its cost. Tool
 * inputs hold queries, and errors of sources hold addresses: both stay with the team.
 */
export function presentShared(
  { credential }: Pick<Share, 'credential'>,
  investigation: Investigation,
): z.input<typeof SharedReportResponse> {
  const { report, citations, coverage, ...shown } = presentReport(investigation);
  const status = shownStatus(investigation.status);
  if (report === null || status === 'processing') throw new TypeError('Only reports are shared.');
  return {
    ...shown,
    report,
    citations: citations.map(({ n, evidence, tool, source, sha256, excerpts }) => {
      return { n, evidence, tool, source, sha256, excerpts };
    }),
    coverage: coverage && {
      ...coverage,
      sources: coverage.sources.map((source) => ({ ...source, error: source.error === null ? null : NO_RESPONSE })),
    },
    title: investigation.alertSummary ?? report.title,
    status,
    limit_reached: investigation.limitReached,
    created_at: investigation.createdAt.toISOString(),
    finished_at: investigation.finishedAt?.toISOString() ?? null,
    expires_at: endOf(credential).toISOString(),
  };
}
