import type { RunProfile } from '../runs/index.ts';
import { createToolRegistry, sharedTools } from '../tools/index.ts';
import { INVESTIGATION_PROMPT } from './prompt.ts';
import { submitReport } from './report/index.ts';

/** An investigation has every reading tool and ends with `submit_report`. */
export function investigationProfile(): RunProfile {
  return {
    system: INVESTIGATION_PROMPT,
    tools: createToolRegistry([...sharedTools, submitReport]),
    finishTool: submitReport.name,
    maxTokens: 16_000,
  };
}
