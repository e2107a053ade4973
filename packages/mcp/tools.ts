/** A server's tools, reduced to what the protocol between satellite and Casebook carries. */
import { MAX_NAME_CHARACTERS, MAX_SCHEMA_CHARACTERS, MAX_TOOLS, type McpTool } from '@casebook/wire';
import { z } from 'zod';

const MAX_DESCRIPTION_CHARACTERS = 2_000;
const MAX_TITLE_CHARACTERS = 1_000;
/** Bounds the pages of a server whose list never ends. */
const MAX_PAGES = 1_000;
/** A longer cursor ends the list: all of them are kept. */
const MAX_CURSOR_CHARACTERS = 10_000;
const ANY_OBJECT = { type: 'object' };

/** A page of tools, each of which may be anything: one bad tool does not cost the others. */
export const toolsPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

const text = z.string().optional().catch(undefined);
const schema = z.record(z.string(), z.unknown()).optional().catch(undefined);
const announcedTool = z.looseObject({
  name: z.string(),
  title: text,
  description: text,
  inputSchema: schema,
  outputSchema: schema,
  annotations: z
    .looseObject({ title: text, readOnlyHint: z.boolean().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  execution: z.looseObject({ taskSupport: text }).optional().catch(undefined),
});

/** The operator's settings for a server's tools. */
interface ToolSelection {
  server: string;
  allow?: readonly string[] | undefined;
  deny?: readonly string[] | undefined;
  readOnly?: 'all' | readonly string[] | undefined;
}

export interface Listing {
  tools: McpTool[];
  /** Allowed tools left out: too many, or names too long. */
  omitted: number;
}

function cut(value: string, max: number): string {
  return value.length <= max ? value : `${value.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}

function fits(value: unknown): boolean {
  try {
    return JSON.stringify(value).length <= MAX_SCHEMA_CHARACTERS;
  } catch {
    // Nested too deeply to serialize.
    return false;
  }
}

/** The schema of an object, or one that allows any object, with a note for readers of the description. */
function inputOf(announced: Record<string, unknown> | undefined): {
  inputSchema: Record<string, unknown>;
  note: string;
} {
  if (announced === undefined) return { inputSchema: ANY_OBJECT, note: '(Its arguments are not described.)' };
  const { type = 'object' } = announced;
  if (type !== 'object')
    return { inputSchema: ANY_OBJECT, note: '(The schema of its arguments is not that of an object.)' };
  const inputSchema = { ...announced, type };
  if (fits(inputSchema)) return { inputSchema, note: '' };
  return { inputSchema: ANY_OBJECT, note: '(The schema of its arguments is too long to show.)' };
}

function toTool(tool: z.output<typeof announcedTool>, server: string, vouched: boolean): McpTool {
  const { inputSchema, note } = inputOf(tool.inputSchema);
  const title = tool.title ?? tool.annotations?.title;
  const words = cut(tool.description ?? '', MAX_DESCRIPTION_CHARACTERS - (note === '' ? 0 : note.length + 1));
  return {
    server,
    name: tool.name,
    title: title === undefined ? undefined : cut(title, MAX_TITLE_CHARACTERS),
    description: `${words} ${note}`.trim(),
    inputSchema,
    outputSchema: tool.outputSchema !== undefined && fits(tool.outputSchema) ? tool.outputSchema : undefined,
    readOnly: vouched || tool.annotations?.readOnlyHint === true,
  };
}

function nameOf(tool: unknown): string | undefined {
  return typeof tool === 'object' &&
    tool !== null &&
    'name' in tool &&
    typeof tool.name === 'string' &&
    tool.name !== ''
    ? tool.name
    : undefined;
}

/**
 * Reads page after page. Tools that can only run as tasks are left out: tasks are not supported.
 * @param page requests the page at a cursor; undefined for the first
 * @throws whatever `page` throws
 */
export async function listTools(
  page: (cursor: string | undefined) => Promise<z.output<typeof toolsPage>>,
  { server, allow = ['*'], deny = [], readOnly = [] }: ToolSelection,
): Promise<Listing> {
  const allowed = matcher(allow);
  const denied = matcher(deny);
  const vouched = readOnly === 'all' ? () => true : matcher(readOnly);
  const tools = new Map<string, McpTool>();
  let omitted = 0;

  const add = (announced: unknown): void => {
    const name = nameOf(announced);
    if (name === undefined || tools.has(name)) return;
    if (name.length > MAX_NAME_CHARACTERS) omitted += 1;
    else if (allowed(name) && !denied(name)) {
      if (tools.size >= MAX_TOOLS) {
        omitted += 1;
        return;
      }
      const tool = announcedTool.parse(announced);
      if (tool.execution?.taskSupport !== 'required') tools.set(name, toTool(tool, server, vouched(name)));
    }
  };

  const cursors = new Set<string>();
  let cursor: string | undefined;
  do {
    const { tools: announced, nextCursor } = await page(cursor);
    for (const tool of announced) add(tool);
    cursor = nextCursor ?? undefined;
    if (cursor === undefined || cursor.length > MAX_CURSOR_CHARACTERS || cursors.has(cursor)) break;
    cursors.add(cursor);
  } while (cursors.size < MAX_PAGES);
  return { tools: [...tools.values()], omitted };
}

function expression(glob: string): RegExp {
  const source = glob
    .replace(/[\\^$.+()[\]{}|]/gu, String.raw`\$&`)
    .replace(/\*+/gu, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'su');
}

/** @returns whether a name matches any of the globs */
export function matcher(globs: readonly string[]): (name: string) => boolean {
  const expressions = globs.map(expression);
  return (name) => expressions.some((one) => one.test(name));
}
