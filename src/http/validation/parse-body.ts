import type { ValidationIssue } from '../errors.ts';
import { guardJson } from './json-guard.ts';
import { memberText } from './member-text.ts';

/** An endpoint's limits on the JSON in a body, and the expected form. */
export interface ParseOptions {
  /** Maximum values in it. */
  maxNodes: number;
  /** The member that is passed on as raw JSON text, exactly as sent, unless it is a string. */
  textMember?: string;
}

/** The parsed body, or the issues that prevented parsing it. */
export interface ParsedBody {
  json: unknown;
  issues: ValidationIssue[];
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a client's JSON, and refuses what no schema mentions but no outside JSON may contain. */
export function parseBody(bytes: Uint8Array, { maxNodes, textMember }: ParseOptions): ParsedBody {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return refused(jsonInvalid(0, 'the body is not valid UTF-8'));
  }
  if (hasMoreNodes(bytes, maxNodes)) return refused(tooManyNodes(maxNodes));
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const position = Number(/at position (\d+)/.exec(message)?.[1] ?? (/end of JSON/.test(message) ? text.length : 0));
    return refused(jsonInvalid(position, 'the body is not valid JSON'));
  }
  const issues = guardJson(json, 'body');
  if (issues.length > 0) return refused(...issues);
  if (textMember === undefined || typeof json !== 'object' || json === null || Array.isArray(json))
    return { json, issues };
  const members: Record<string, unknown> = { ...json };
  const member = members[textMember];
  if (member !== undefined && typeof member !== 'string') members[textMember] = memberText(text, textMember);
  return { json: members, issues };
}

const refused = (...issues: ValidationIssue[]): ParsedBody => ({ json: undefined, issues });

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/**
 * Counts before parsing: each value but the first follows a comma or an opening bracket or brace; an empty list or
 * object counts twice.
 */
function hasMoreNodes(bytes: Uint8Array, maxNodes: number): boolean {
  let nodes = 1;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === COMMA || byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      nodes += 1;
      if (nodes > maxNodes) return true;
    }
  }
  return false;
}

const tooManyNodes = (maxNodes: number): ValidationIssue => ({
  type: 'too_many_values',
  loc: ['body'],
  msg: `The body should have at most ${maxNodes} values`,
  input: null,
  ctx: { max_values: maxNodes },
});

const jsonInvalid = (position: number, error: string): ValidationIssue => ({
  type: 'json_invalid',
  loc: ['body', position],
  msg: 'JSON decode error',
  input: {},
  ctx: { error },
});
