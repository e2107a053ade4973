import type { Tool } from '../../tools/index.ts';
import { findSimilarInvestigations } from './find-similar.ts';
import { followInvestigation } from './follow-investigation.ts';
import type { InvestigationToolDeps } from './investigation.ts';
import { listInvestigations, readInvestigation } from './reading.ts';
import { startInvestigation } from './start-investigation.ts';

/** The tools with which other kinds of runs start, follow and read investigations. */
export function investigationTools(deps: InvestigationToolDeps): Tool[] {
  return [
    listInvestigations(deps),
    readInvestigation(deps),
    findSimilarInvestigations(deps),
    startInvestigation(deps),
    followInvestigation(deps),
  ];
}
