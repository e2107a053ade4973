/** Drives a whole investigation: the real SDK client, the offline server, the real tools and the real checker. */
import type { SourceCatalog } from '../../../src/features/sources/port.ts';
import { checkReportAgainst } from '../../../src/features/investigations/report/check.ts';
import { submitReport } from '../../../src/features/investigations/report/submit-report.ts';
import { reportSchema, type CheckedReport, type Report } from '../../../src/features/investigations/report/schema.ts';
import {
  createToolRegistry,
  frameToolResult,
  normalizeOutput,
  sharedTools,
  viewOf,
  type Tool,
  type ToolOutput,
} from '../../../src/features/tools/index.ts';
import type { StoredEvidence } from '../../../src/features/tools/tool.ts';
import type { ContentBlockParam, MessageParam, ModelClient } from '../../../src/platform/anthropic/index.ts';
import { storedEvidence, toolContext } from '../../support/tool-context.ts';

const MAX_TURNS = 15;

export interface RunOptions {
  query: string;
  sources: SourceCatalog;
  /** What the instructions say. */
  system?: string;
  /** Instead of the shared tools. */
  tools?: readonly Tool[];
  /** From this turn on the model must conclude. */
  concludeAt?: number;
  /** What a person says before a turn. */
  remarks?: Record<number, string>;
  /** Replaces what a tool would return; undefined leaves it alone. */
  intercept?: (tool: string, input: unknown, attempt: number) => ToolOutput | undefined;
}

export interface MadeCall {
  turn: number;
  tool: string;
  input: unknown;
  isError: boolean;
}

export interface Run {
  messages: MessageParam[];
  calls: MadeCall[];
  texts: string[];
  /** What the tools returned, as it is stored. */
  evidence: StoredEvidence[];
  report?: Report;
  checked?: CheckedReport;
}

export async function runInvestigation(model: ModelClient, options: RunOptions): Promise<Run> {
  const registry = createToolRegistry([...(options.tools ?? sharedTools), submitReport]);
  const evidence: StoredEvidence[] = [];
  const context = toolContext({ sources: options.sources, evidence });
  const opening = `This was reported:\n<query>\n${options.query}\n</query>`;
  const run: Run = {
    messages: [{ role: 'user', content: [{ type: 'text', text: opening }] }],
    calls: [],
    texts: [],
    evidence,
  };
  for (let turn = 0; turn < MAX_TURNS && !run.report; turn += 1) {
    const conclude = options.concludeAt !== undefined && turn >= options.concludeAt;
    const answer = await model.complete(
      {
        system: options.system ?? 'You investigate.',
        messages: run.messages,
        tools: registry.definitions(),
        toolChoice: conclude ? { type: 'tool', name: 'submit_report' } : undefined,
        maxTokens: 8_000,
      },
      { signal: context.signal },
    );
    run.messages.push({ role: 'assistant', content: answer.content });
    const results: ContentBlockParam[] = [];
    for (const block of answer.content) {
      if (block.type === 'text') run.texts.push(block.text);
      if (block.type !== 'tool_use') continue;
      const { name: tool, input } = block;
      const attempt = run.calls.filter((call) => call.tool === tool).length;
      const output = options.intercept?.(tool, input, attempt) ?? (await registry.invoke(tool, input, context));
      const { content } = normalizeOutput(output);
      const number = evidence.length + 1;
      evidence.push(storedEvidence(number, tool, content));
      run.calls.push({ turn, tool, input, isError: output.isError ?? false });
      const text = frameToolResult({ evidence: number, tool, view: viewOf(content) });
      results.push({
        type: 'tool_result',
        tool_use_id: block.id,
        is_error: output.isError,
        content: [{ type: 'text', text }],
      });
      if (output.effect?.kind === 'finish') run.report = reportSchema.parse(output.effect.result);
    }
    const remark = options.remarks?.[turn + 1];
    if (remark) results.push({ type: 'text', text: `<user_message>\n${remark}\n</user_message>` });
    if (results.length === 0) break;
    run.messages.push({ role: 'user', content: results });
  }
  if (run.report) run.checked = await checkReportAgainst(run.report, context.evidence);
  return run;
}
