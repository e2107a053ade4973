/** Many investigations with one scripted model: each has a name in its query, by which the model knows its script. */
import { waitUntil } from '../../support/wait-until.ts';
import { investigationRuns } from '../../../src/features/investigations/index.ts';
import { createRunLauncher, type RunBudget } from '../../../src/features/runs/index.ts';
import type { Harness } from '../../support/harness.ts';
import {
  OUT_OF_SCRIPT,
  type RecordedRequest,
  type ScriptContext,
  type ScriptedStep,
} from '../../support/scripted-model/index.ts';

const NAME = /\[case ([\w-]+)\]/;

/** The name of the case a request to the model belongs to. */
export function caseOf({ body }: Pick<RecordedRequest, 'body'>): string {
  return NAME.exec(JSON.stringify(body.messages[0]))?.[1] ?? '';
}

export const queryOf = (name: string): string => `[case ${name}] Checkout is slow.`;

/** Steps by turn; a list in place of a step has the answers to the first, second, … attempt of that turn. */
export type CaseScript = (ScriptedStep | ScriptedStep[])[] | ((context: ScriptContext) => ScriptedStep);

/** Plays the script of the case that asks. */
export function byCase(scripts: Record<string, CaseScript>): (context: ScriptContext) => ScriptedStep {
  return (context) => {
    const script = scripts[caseOf({ body: context.request })] ?? [];
    if (typeof script === 'function') return script(context);
    const step = script[context.turn] ?? OUT_OF_SCRIPT;
    return Array.isArray(step) ? (step[Math.min(context.attempt, step.length - 1)] ?? OUT_OF_SCRIPT) : step;
  };
}

export interface Detail {
  id: string;
  status: string;
  limit_reached: string | null;
  explanation: string | null;
  error: { code: string; message: string } | null;
  investigation_text: string;
  steps: {
    step: number;
    note: string | null;
    text: string;
    reasoning: string;
    stop_reason: string;
    tool_calls: {
      id: string;
      name: string;
      status: string;
      is_error: boolean;
      digest: string;
      bytes: number;
      sha256: string;
    }[];
  }[];
  messages: { text: string; delivered_step: number | null }[];
  report: { title: string; unverified_claims: unknown[] } | null;
  citations: { evidence: number; excerpts: { text: string; verified: boolean }[] }[];
  usage: { api_calls_count: number; cost: number };
}

/** One investigation of a harness, whose model plays {@link byCase}. */
export class CaseRun {
  readonly harness: Harness;
  readonly name: string;
  readonly id: string;

  constructor(harness: Harness, name: string, id: string) {
    this.harness = harness;
    this.name = name;
    this.id = id;
  }

  static async start(harness: Harness, name: string): Promise<CaseRun> {
    return new CaseRun(harness, name, await harness.investigate(queryOf(name)));
  }

  /** What the model was asked, in order. */
  get requests(): RecordedRequest[] {
    return this.harness.model.requests.filter((request) => caseOf(request) === this.name);
  }

  async detail(): Promise<Detail> {
    const { body } = await this.harness.request('GET', `/api/investigations/${this.id}`);
    return body;
  }

  /** Waits for the end. */
  async ended(): Promise<Detail> {
    await this.harness.untilEnded(this.id);
    return this.detail();
  }

  async until(condition: (run: CaseRun) => boolean, what: string): Promise<void> {
    await waitUntil(() => condition(this) || undefined, { what, intervalMs: 20 });
  }
}

const ample: RunBudget = {
  maxSteps: 40,
  maxCostUsd: 5,
  maxWallSeconds: 600,
  toolTimeoutSeconds: 60,
  approvalSeconds: 60,
};

/** Starts a case with bounds of its own, which are ample but for those given. One at a time. */
export async function startWithin(harness: Harness, name: string, budget: Partial<RunBudget>): Promise<CaseRun> {
  const { investigations } = harness.api.deps;
  const usual = investigations.launcher;
  investigations.launcher = createRunLauncher(harness.temporal, investigationRuns, {
    budget: { ...ample, ...budget },
    taskQueue: harness.taskQueue,
  });
  return CaseRun.start(harness, name).finally(() => {
    investigations.launcher = usual;
  });
}

/** Starts a case and waits for its end. */
export async function runCase(harness: Harness, name: string): Promise<{ run: CaseRun; detail: Detail }> {
  const run = await CaseRun.start(harness, name);
  return { run, detail: await run.ended() };
}

/** The text of the last message of a request: tool results and what the loop and people say. */
export function lastMessage({ body }: Pick<RecordedRequest, 'body'>): string {
  const content = body.messages.at(-1)?.content ?? '';
  if (typeof content === 'string') return content;
  return content
    .flatMap((block) => {
      if (block.type === 'text') return [block.text];
      if (block.type !== 'tool_result') return [];
      const parts =
        typeof block.content === 'string' ? [{ type: 'text' as const, text: block.content }] : block.content;
      return (parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []));
    })
    .join('\n');
}
