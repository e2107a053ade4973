/** The agent's tools: how they are defined, offered and called, and how their results reach a model. */
import type { Room } from '../../room.ts';
import { sharedTools } from './shared-tools.ts';
export { isCitable } from './citable.ts';
export { downsample, resultPoints } from './downsample.ts';
export { frameToolResult, parseFramedToolResult, restore, type FramedToolResult } from './framing.ts';
export { errorOutput, jsonOutput } from './output.ts';
export { groupLogPatterns, type LogPattern, type LogPatterns } from './log-patterns/index.ts';
export { createRegistryCache, createToolRegistry, type ToolRegistry } from './registry.ts';
export { sharedTools } from './shared-tools.ts';
export { clip, count, oneLine, safeCut, significant } from './text.ts';
export { toIso, toIsoWindow } from './time.ts';
export * from './tool.ts';
export { normalizeOutput, VIEW_CHARACTERS, viewOf, type NormalizedOutput, type View } from './view.ts';
export type * from './results.ts';

export const toolsRoom = { name: 'tools', tools: sharedTools } satisfies Room;
