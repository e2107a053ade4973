/** What people do with findings. */
export const ACT_KINDS = [
  'acknowledged',
  'unacknowledged',
  'closed',
  'muted',
  'unmuted',
  'assigned',
  'unassigned',
  'commented',
] as const;
export type ActKind = (typeof ACT_KINDS)[number];
