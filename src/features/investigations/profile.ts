import { readingProfile, type LoadProfile } from '../runs/index.ts';
import { sharedTools, type LoadTeamTools, type Tool } from '../tools/index.ts';
import { INVESTIGATION_PROMPT } from './prompt.ts';
import { submitReport } from './report/index.ts';

/** Maximum tokens of one answer. */
const MAX_TOKENS = 16_000;

/**
 * An investigation ends with `submit_report`.
 * @param tools in place of the shared ones
 */
export const investigationProfile = (
  tools: readonly Tool[] = sharedTools,
  teamTools: LoadTeamTools = async () => ({ tools: [] }),
): LoadProfile =>
  readingProfile({ system: INVESTIGATION_PROMPT, finish: submitReport, maxTokens: MAX_TOKENS }, tools, teamTools);
