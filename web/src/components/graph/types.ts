/** `cause`: the suspect, once a report names it. */
export type ServiceRole = 'cause' | 'suspect' | 'alerting' | 'affected' | 'ruled_out' | 'related';

export interface GraphService {
  /** As it appears in telemetry: any text of any length. */
  name: string;
  role?: ServiceRole;
  /** Why the service has its role. */
  note?: string;
}

export interface GraphCall {
  caller: string;
  callee: string;
  callsPerSecond?: number;
  /** 0 to 1. */
  errorRatio?: number;
  p95Seconds?: number;
  /** Not seen for a while. */
  stale?: boolean;
  onFaultPath?: boolean;
}

export interface Graph {
  services: readonly GraphService[];
  calls: readonly GraphCall[];
}

/** Where callees lie relative to their callers. */
export type Direction = 'right' | 'down';

/** The centre of a service's box, in drawing pixels. */
export interface Position {
  x: number;
  y: number;
}

export const BOX = { width: 190, height: 52 } as const;
