/** The tools of the systems that a team has connected: offered one by one, or found by a search. */
import type Anthropic from '@anthropic-ai/sdk';
import type { PlannedCall } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import { call as plan, given, isRecord, jsonOf, rowsOf, textOf } from '../calls.ts';

/** One operation of a connected system, which changes nothing. */
export interface ConnectedTool {
  name: string;
  /** `orders-db` */
  system: string;
  /** `postgresql`; empty if the system does not say. */
  kind: string;
  /** `slow_queries` */
  operation: string;
  description: string;
  /** JSON schema of its input. */
  schema: Record<string, unknown>;
  /** It is not offered itself: the tool that calls what a search found calls it. */
  isFound: boolean;
}

/** A tool's definition, of which an older client may send the name alone. */
export type ToolDefinition = Pick<Anthropic.Tool, 'name'> &
  Partial<Pick<Anthropic.Tool, 'description' | 'input_schema'>>;

export const SEARCH_TOOL = 'search_connected_tools';
const CALL_TOOL = 'call_connected_tool';

/** How descriptions begin: `slow_queries of orders-db (postgresql). `, `… through satellite eu. `. */
const HEAD =
  /^(?<operation>[^\n]{1,100}?) of (?:the customer's MCP server )?(?<system>[\w.-]{1,100}?)(?: \((?<kind>[\w-]{1,40})\))?(?: through satellite (?<satellite>[\w-]{1,100}))?\.(?= |$)/u;
const ACTS = /\bit may change things\b/u;

/** @returns the connected systems' reading tools among those that are offered */
export function connectedTools(definitions: readonly ToolDefinition[]): ConnectedTool[] {
  return definitions.flatMap(({ name, description = '', input_schema }) =>
    read(name, description, input_schema, false),
  );
}

/** @returns the reading tools that the searches among the calls found */
export function foundTools(calls: readonly Call[]): ConnectedTool[] {
  const found = calls
    .filter(({ tool, isError }) => tool === SEARCH_TOOL && !isError)
    .flatMap((call) => rowsOf(jsonOf(call), 'tools'))
    .filter((one) => one['call_with'] === CALL_TOOL)
    .flatMap((one) => read(textOf(one, 'name'), textOf(one, 'description'), one['input_schema'], true));
  return [...new Map(found.map((tool) => [tool.name, tool])).values()];
}

function read(name: string, description: string, schema: unknown, isFound: boolean): ConnectedTool[] {
  const { operation = '', system = '', kind = '', satellite = '' } = HEAD.exec(description)?.groups ?? {};
  if (system === '' || ACTS.test(description)) return [];
  // The name is ours; a system that describes its tool as another's does not get past it.
  if (
    ![
      [system, operation],
      [satellite, system, operation],
    ].some((parts) => isNameOf(name, parts))
  )
    return [];
  return [{ name, system, kind, operation, description, schema: isRecord(schema) ? schema : {}, isFound }];
}

/** Whether a tool has the name that is built from these parts, which ends in a hash if it would be long or taken. */
function isNameOf(name: string, parts: readonly string[]): boolean {
  const plain = snakeCase(parts.join('_'));
  const start = /^(.+)_[\da-f]{8}$/u.exec(name)?.[1];
  return [plain, `s_${plain}`].some((one) => one === name || (start !== undefined && one.startsWith(start)));
}

export function snakeCase(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/([a-z\d])([A-Z])/gu, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/gu, '_')
    .replaceAll(/^_+|_+$/gu, '');
}

/** The call of a tool, however it has to be called. */
export function callOf({ name, isFound }: ConnectedTool, input: Record<string, unknown>): PlannedCall {
  return isFound ? plan(CALL_TOOL, { name, input }) : plan(name, input);
}

/** The calls of a connected system's tool. */
export function callsTo({ name }: ConnectedTool, calls: readonly Call[]): Call[] {
  return calls.filter((call) => call.tool === name || (call.tool === CALL_TOOL && given(call, 'name') === name));
}
