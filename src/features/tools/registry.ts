/** The tools of one kind of run: what the model is offered, and how its calls are checked and made. */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Tool as ToolDefinition } from '@anthropic-ai/sdk/resources/messages';
import { grants } from '../../http/authenticate.ts';
import { DIGEST_CHARACTERS, errorOutput, type Tool, type ToolContext, type ToolOutput } from './tool.ts';
import { oneLine } from './text.ts';

const SUMMARY_CHARACTERS = 120;
const MAX_ISSUES = 20;
const NAME = /^[a-z][a-z0-9_]{0,63}$/u;

export interface ToolRegistry {
  names(): string[];
  get(name: string): Tool | undefined;
  /** What the Messages API is given. */
  definitions(): ToolDefinition[];
  /**
   * A call in one line of at most 120 characters, for the operator. Never throws: a call that will be refused has a
   * summary too.
   */
  summarize(name: string, input: unknown): string;
  /**
   * Makes a call. Bad input, unknown tools and those the actor may not call come back as an error output the model can
   * act on; what the tool itself throws propagates.
   */
  invoke(name: string, input: unknown, context: ToolContext): Promise<ToolOutput>;
}

/** @throws {Error} if two tools share a name, or a tool's input is not an object */
export function createToolRegistry(tools: readonly Tool[]): ToolRegistry {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (!NAME.test(tool.name)) throw new Error(`"${tool.name}" is not a tool name`);
    if (byName.has(tool.name)) throw new Error(`Two tools are named "${tool.name}"`);
    byName.set(tool.name, tool);
  }
  const definitions = tools.map(definitionOf);

  return {
    names: () => [...byName.keys()],
    get: (name) => byName.get(name),
    definitions: () => structuredClone(definitions),
    summarize(name, input) {
      const tool = byName.get(name);
      const parsed = tool?.input.safeParse(input);
      if (!tool || !parsed?.success) return oneLine(`${name} (invalid call)`, SUMMARY_CHARACTERS);
      return oneLine(tool.summarize(parsed.data), SUMMARY_CHARACTERS);
    },
    async invoke(name, input, context) {
      const tool = byName.get(name);
      if (!tool) return errorOutput(`There is no tool "${oneLine(name, 80)}".`, { tools: [...byName.keys()] });
      if (tool.requires !== undefined && !grants(context.actor.scopes, tool.requires)) {
        return errorOutput(
          `${name} needs the scope ${tool.requires}, which the credential that this is done for does not have.`,
        );
      }
      const parsed = tool.input.safeParse(input);
      if (!parsed.success) return invalidInput(tool, parsed.error);
      const output = await tool.run(parsed.data, context);
      return { ...output, digest: oneLine(output.digest, DIGEST_CHARACTERS) };
    },
  };
}

/**
 * Registries by their tools: creating one takes a millisecond or two, and most runs have the same tools.
 * @param max registries to keep
 */
export function createRegistryCache(max = 200): (tools: readonly Tool[]) => ToolRegistry {
  const ids = new WeakMap<Tool, number>();
  const registries = new LRUCache<string, ToolRegistry>({ max });
  let next = 0;
  const idOf = (tool: Tool): number => {
    const id = ids.get(tool) ?? next++;
    ids.set(tool, id);
    return id;
  };
  return (tools) => {
    const key = tools.map(idOf).join(' ');
    const registry = registries.get(key) ?? createToolRegistry(tools);
    registries.set(key, registry);
    return registry;
  };
}

function definitionOf(tool: Tool): ToolDefinition {
  const schema: Record<string, unknown> =
    tool.inputSchema ?? z.toJSONSchema(tool.input, { io: 'input', target: 'draft-2020-12' });
  if (schema.type !== 'object') throw new Error(`The input of "${tool.name}" must be an object`);
  const { $schema: _dialect, ...rest } = schema;
  return { name: tool.name, description: tool.description, input_schema: { ...rest, type: 'object' } };
}

function invalidInput(tool: Tool, error: z.ZodError): ToolOutput {
  const all = error.issues.map((issue) => ({ path: pathOf(issue.path), message: issue.message }));
  const issues = all.slice(0, MAX_ISSUES);
  const listed = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  const more = all.length > issues.length ? `; and ${all.length - issues.length} more` : '';
  const accepts = Object.keys(definitionOf(tool).input_schema.properties ?? {});
  return errorOutput(`The input of ${tool.name} is not valid: ${listed}${more}`, { issues, accepts });
}

function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./u, '');
}
