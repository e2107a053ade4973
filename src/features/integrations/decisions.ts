import { z } from 'zod';
import type { McpTool } from '@casebook/wire';
import { TOOL_DECISIONS, type Integration, type ToolDecision } from './entities.ts';
import type { Settings } from './families.ts';

const decisions = z.record(z.string(), z.enum(TOOL_DECISIONS)).catch({});

/**
 * What a team has decided about a tool of an MCP server. Without a decision, one that its server declares read-only is
 * offered, and no other: a declaration is a hint, and the team may say otherwise of either.
 */
export const decisionOn = (
  { settings }: Pick<Integration, 'settings'>,
  { name, readOnly }: Pick<McpTool, 'name' | 'readOnly'>,
): ToolDecision => decisions.parse(settings['tools'] ?? {})[name] ?? (readOnly ? 'read' : 'deny');

/** What of the settings holds a team's decisions. */
export const decisionsIn = ({ settings: { tools } }: Pick<Integration, 'settings'>): Settings =>
  tools === undefined ? {} : { tools };

/** The settings with decisions about some tools; those about the others stay. */
export const withDecisions = (settings: Settings, made: Readonly<Record<string, ToolDecision>>): Settings => ({
  ...settings,
  tools: { ...decisions.parse(settings['tools'] ?? {}), ...made },
});
