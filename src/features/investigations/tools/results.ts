/** Types of the results of the investigation tools, as JSON text; see `src/features/tools/results.ts`. */
import type { RunPhase } from '../../runs/contract.ts';
import type { IsoTime } from '../../tools/results.ts';
import type { InvestigationStatus } from '../contract.ts';
import type { Likeness } from '../similar/traits.ts';

/** `list_investigations` { search?, status?, limit? } */
export interface ListInvestigationsResult {
  /** Newest first. */
  investigations: {
    investigation_id: string;
    /** On one line, at most 300 characters. */
    query: string;
    status: InvestigationStatus;
    alert_summary: string | null;
    created_at: IsoTime;
  }[];
  /** The total number. */
  total: number;
}

/** `find_similar_investigations` { service?, alert_service?, alert_metric?, template?, limit? } */
export interface FindSimilarInvestigationsResult {
  /** Those that share most first. */
  investigations: {
    investigation_id: string;
    alert_summary: string | null;
    /** At fault, or its first candidate. */
    service: string | null;
    shares: Likeness[];
    /** What people said of its report. */
    judgement: 'right' | 'wrong' | null;
    created_at: IsoTime;
  }[];
}

/** `read_investigation` { investigation_id }; with `evidence` it returns that stored tool result as is. */
export interface ReadInvestigationResult {
  investigation_id: string;
  query: string;
  status: InvestigationStatus;
  alert_summary: string | null;
  /**
   * Markdown; null while it is processing. Its [n] are citations of the list below, not of the reader's conversation.
   */
  investigation_text: string | null;
  created_at: IsoTime;
  finished_at: IsoTime | null;
  /** Excerpts that were found in the evidence, verbatim. */
  citations: { n: number; evidence: number; tool: string | null; excerpts: string[] }[];
}

/** `start_investigation` { query } */
export interface StartInvestigationResult {
  investigation_id: string;
  status: InvestigationStatus;
  url: string;
}

/** `follow_investigation` { investigation_id, wait_seconds? } */
export interface FollowInvestigationResult {
  investigation_id: string;
  status: InvestigationStatus;
  alert_summary: string | null;
  investigation_text: string | null;
  /** While it is processing, if a worker answers. */
  progress?: { phase: RunPhase; step: number; tool_calls: number };
}
