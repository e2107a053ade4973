import type { LoadProfile } from '../runs/index.ts';
import { createToolRegistry, sharedTools, type Tool } from '../tools/index.ts';
import { INVESTIGATION_PROMPT } from './prompt.ts';
import { submitReport } from './report/index.ts';

/**
 * An investigation has every reading tool and ends with `submit_report`.
 * @param tools in place of the shared ones
 */
export function investigationProfile(tools: readonly Tool[] = sharedTools): LoadProfile {
  const profile = {
    system: INVESTIGATION_PROMPT,
    tools: createToolRegistry([...tools, submitReport]),
    finishTool: submitReport.name,
    maxTokens: 16_000,
  };
  return async () => profile;
}
