/**
 * What is known about model families, by name. Source: Anthropic's model pages and "What's new in Claude Opus 5.5"
 * (platform.claude.com, read in October 2026). An unknown model gets no thinking and is assumed to accept a forced
 * tool.
 */

/** The Anthropic provider's default model: it thinks and still accepts a forced tool. */
export const DEFAULT_MODEL = 'claude-sonnet-5-5';

/** The model of the offline provider. */
export const OFFLINE_MODEL = 'casebook-offline-1';

const FAMILIES = ['opus', 'sonnet', 'haiku', 'fable', 'mythos'] as const;
export type ModelFamily = (typeof FAMILIES)[number];

interface ModelVersion {
  family: ModelFamily;
  /** Major times 100 plus minor: 4.5 is 405, so that versions compare as numbers. */
  version: number;
}

/** claude-opus-4-8, claude-sonnet-5, claude-haiku-4-5-20251001, with any provider prefix. */
const FAMILY_FIRST = /claude-([a-z]+)-(\d+)(?:-(\d{1,2})(?!\d))?/;
/** claude-3-7-sonnet-20250219, claude-3-opus-20240229. */
const VERSION_FIRST = /claude-(\d+)(?:-(\d{1,2}))?-([a-z]+)/;

/** Parses family and version from a model name; undefined if it is not one of Anthropic's. */
export function modelVersion(model: string): ModelVersion | undefined {
  const [, name, major, minor] = FAMILY_FIRST.exec(model) ?? reordered(VERSION_FIRST.exec(model));
  const family = FAMILIES.find((known) => known === name);
  return family && { family, version: Number(major) * 100 + Number(minor ?? 0) };
}

function reordered(match: RegExpExecArray | null): (string | undefined)[] {
  return match ? [match[0], match[3], match[1], match[2]] : [];
}

/**
 * How a model thinks: `always` (cannot be turned off), `adaptive` (the model decides how much), `budget` (a fixed
 * number of tokens), `none`.
 */
type Thinking = 'always' | 'adaptive' | 'budget' | 'none';

/** The kind of thinking a model supports. */
export function thinkingOf(model: string): Thinking {
  const known = modelVersion(model);
  if (!known) return 'none';
  const { family, version } = known;
  if (family === 'fable' || family === 'mythos') return 'always';
  if (family === 'opus' && version >= 505) return 'always';
  if (version >= (family === 'haiku' ? 505 : 406)) return 'adaptive';
  const budgetSince = family === 'haiku' ? 405 : 400;
  return version >= budgetSince || (family === 'sonnet' && version === 307) ? 'budget' : 'none';
}

/** Whether the API accepts `tool_choice` of type `any` or `tool` for the model; those that always think reject it. */
export function takesForcedTool(model: string): boolean {
  return thinkingOf(model) !== 'always';
}
