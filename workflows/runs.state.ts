import type {
  CarriedRun,
  ModelTurnResult,
  RunBudget,
  RunLimit,
  RunPhase,
  RunProgress,
  ToolCallResult,
} from '../src/features/runs/contract.ts';
import { casebookLink } from '../src/features/runs/contract.ts';

/**
 * Identical calls over the whole run: from the third on they are answered from the record, and the fifth ends the run.
 */
const REPEATS_ANSWERED_FROM_RECORD = 3;
const REPEATS_THAT_END_THE_RUN = 5;
/** Turns without a tool call before the loop stops asking for the result. */
const IDLE_TURNS = 3;
const KNOWN_LINES = 12;

/** The state of one agent run: pure, so that its rules are tested without Temporal. Times are unix milliseconds. */
export class RunState {
  readonly budget: RunBudget;
  private readonly answersInWords: boolean;
  phase: RunPhase = 'starting';
  limit?: RunLimit;
  cancel?: { reason?: string };
  /** Steps done in this history; `step` counts over all of them. */
  stepsInHistory = 0;
  private handedInNow = false;
  /** Approvals on which a person has decided. */
  private readonly decided = new Set<string>();
  /** By tool call: what it waits for. */
  private readonly awaited = new Map<string, string>();
  private waits = 0;
  private waitingSince?: number;
  private carried: CarriedRun;
  private readonly fingerprints: Map<string, { count: number; evidence: number }>;

  /**
   * @param options.startAfter the last step of the conversation's earlier runs; 0 if there are none
   * @param options.answersInWords the result is what the model says, not what it submits through a tool
   */
  constructor(
    budget: RunBudget,
    now: number,
    carried?: CarriedRun,
    options: { startAfter?: number; answersInWords?: boolean; contextTokens?: number } = {},
  ) {
    this.budget = budget;
    this.answersInWords = options.answersInWords ?? false;
    this.carried = carried ?? {
      step: options.startAfter ?? 0,
      startAfter: options.startAfter,
      contextTokens: options.contextTokens,
      costUsd: 0,
      toolCalls: 0,
      startedAt: now,
      idleTurns: 0,
      fingerprints: [],
      known: [],
      pendingMessages: 0,
      handedIn: false,
    };
    this.fingerprints = new Map(this.carried.fingerprints);
    this.cancel = this.carried.cancel;
  }

  /** The current step's number within the conversation. */
  get step(): number {
    return this.carried.step;
  }

  /** Steps of this run. */
  get steps(): number {
    return this.carried.step - (this.carried.startAfter ?? 0);
  }

  /** The first step of this run. */
  get firstStep(): number {
    return (this.carried.startAfter ?? 0) + 1;
  }

  get costUsd(): number {
    return this.carried.costUsd;
  }

  get handedIn(): boolean {
    return this.carried.handedIn;
  }

  /** Whether the model is done: it submitted its result, and no message is left unread. */
  isDone(turn: ModelTurnResult): boolean {
    const acts = turn.toolCalls.length > 0;
    return this.carried.handedIn && this.carried.pendingMessages === 0 && (this.handedInNow || !acts);
  }

  /** Milliseconds left of the wall-time budget, never negative. Its clock stands still during a wait for a person. */
  remainingMs(now: number): number {
    return Math.max(0, this.carried.startedAt + this.budget.maxWallSeconds * 1000 - (this.waitingSince ?? now));
  }

  approvalDecided(approvalId: string): void {
    this.decided.add(approvalId);
  }

  isDecided(approvalId: string): boolean {
    return this.decided.has(approvalId);
  }

  get isWaiting(): boolean {
    return this.waits > 0;
  }

  /** A call begins to wait for a person; several may at once. */
  waitBegan(now: number): void {
    this.waits += 1;
    this.waitingSince ??= now;
    this.phase = 'awaiting_approval';
  }

  waitEnded(now: number): void {
    this.waits -= 1;
    if (this.isWaiting || this.waitingSince === undefined) return;
    this.carried.startedAt += now - this.waitingSince;
    this.waitingSince = undefined;
    this.phase = 'using_tools';
  }

  /** @param what undefined: it goes on */
  callWaits(toolCallId: string, what?: string): void {
    if (what === undefined) this.awaited.delete(toolCallId);
    else this.awaited.set(toolCallId, what);
  }

  /** What tool calls wait for, each named once. */
  get waitingFor(): string | undefined {
    return this.awaited.size === 0 ? undefined : [...new Set(this.awaited.values())].join(', ');
  }

  messageArrived(): void {
    this.carried.pendingMessages += 1;
  }

  /** Starts the next model turn, which reads waiting messages. */
  beginTurn(phase: 'thinking' | 'concluding'): number {
    this.phase = phase;
    this.carried.step += 1;
    this.stepsInHistory += 1;
    this.carried.pendingMessages = 0;
    this.handedInNow = false;
    return this.carried.step;
  }

  turnEnded(turn: ModelTurnResult): void {
    this.carried.costUsd += turn.costUsd;
    this.carried.toolCalls += turn.toolCalls.length;
    this.carried.idleTurns = turn.toolCalls.length === 0 ? this.carried.idleTurns + 1 : 0;
    this.carried.contextTokens = turn.contextTokens ?? this.carried.contextTokens;
    const brokenOff = turn.stopReason === 'max_tokens' || turn.stopReason === 'refusal';
    if (this.answersInWords && turn.spoke && turn.toolCalls.length === 0 && !brokenOff) {
      this.handedInNow = true;
      this.carried.handedIn = true;
    }
  }

  /** Tokens of the transcript, as far as known. */
  get contextTokens(): number {
    return this.carried.contextTokens ?? 0;
  }

  /** Whether to compact the transcript before the next step. */
  get shouldCompact(): boolean {
    const { compactAtTokens } = this.budget;
    if (compactAtTokens === undefined) return false;
    return this.contextTokens >= Math.max(compactAtTokens, this.carried.compactAbove ?? 0);
  }

  /** @param contextTokens what remains; if that is still much, the next compaction waits until it has grown by half */
  compacted(contextTokens: number, costUsd: number): void {
    this.carried.costUsd += costUsd;
    this.carried.contextTokens = contextTokens;
    this.carried.compactAbove = contextTokens * 1.5;
  }

  /**
   * Counts a call the model requested.
   * @returns the evidence number of the first identical call, once the model has repeated itself too often
   */
  noteCall(fingerprint: string, evidence: number): number | undefined {
    const seen = this.fingerprints.get(fingerprint);
    if (!seen) {
      this.fingerprints.set(fingerprint, { count: 1, evidence });
      return undefined;
    }
    seen.count += 1;
    return seen.count >= REPEATS_ANSWERED_FROM_RECORD ? seen.evidence : undefined;
  }

  callEnded(summary: string, result: ToolCallResult): void {
    if (result.plan) this.carried.plan = result.plan;
    if (result.finished) {
      this.handedInNow = true;
      this.carried.handedIn = true;
    }
    this.know(`${result.isError ? '⚠ ' : ''}${summary}: ${result.digest}`);
  }

  know(line: string): void {
    this.carried.known = [...this.carried.known, line].slice(-KNOWN_LINES);
  }

  /** The budget or rule that ends the run before its next turn, if any. */
  reachedLimit(now: number): RunLimit | undefined {
    if (this.steps >= this.budget.maxSteps) return 'steps';
    if (this.carried.costUsd >= this.budget.maxCostUsd) return 'cost';
    if (this.remainingMs(now) === 0) return 'wall_time';
    if ([...this.fingerprints.values()].some(({ count }) => count >= REPEATS_THAT_END_THE_RUN)) return 'repeated_calls';
    if (this.carried.idleTurns >= IDLE_TURNS) return 'no_report';
    return undefined;
  }

  progress(): RunProgress {
    return {
      phase: this.phase,
      step: this.steps,
      toolCalls: this.carried.toolCalls,
      costUsd: this.carried.costUsd,
      limit: this.limit,
      ...(this.waitingFor !== undefined && { waitingFor: this.waitingFor }),
    };
  }

  carry(): CarriedRun {
    return { ...this.carried, fingerprints: [...this.fingerprints], cancel: this.cancel };
  }

  /** Live details for the operator, in Markdown. */
  details(title: string, url?: string): string {
    const { plan } = this.carried;
    return [
      `### ${this.waitingFor === undefined ? '' : `Waiting for ${escaped(this.waitingFor)}: `}${escaped(title)}`,
      `**${this.phase.replaceAll('_', ' ')}** · step ${this.steps} · ${this.carried.toolCalls} tool calls · $${this.costUsd.toFixed(4)}` +
        (plan ? ` · plan ${plan.done}/${plan.total}` : '') +
        (this.limit ? ` · limit reached: ${this.limit.replaceAll('_', ' ')}` : ''),
      ...(url === undefined ? [] : ['', casebookLink(url)]),
      '',
      '**Latest results**',
      '',
      ...(this.carried.known.length > 0 ? this.carried.known.map((line) => `- ${escaped(line)}`) : ['- none yet']),
    ].join('\n');
  }
}

/** Text of tools and people as text: anything that looks like Markdown or HTML stays literal. */
export function escaped(line: string): string {
  return line.replaceAll(/[\\`*_[\]<>|#]/g, String.raw`\$&`);
}
