/**
 * The tools that connected systems add to a run: one per offer or, with more than a model can be given at once, one that
 * searches and others that call what was found.
 */
import { z } from 'zod';
import { grants } from '../../../http/authenticate.ts';
import { clip, count } from '../text.ts';
import { defineTool, errorOutput, jsonOutput, type Tool, type ToolContext, type ToolOutput } from '../tool.ts';
import type { NamedOffer } from './offer.ts';
import { offeredSchema } from './schema.ts';

/** Timeout of a whole tool call, in seconds. */
const TIMEOUT_SECONDS = 90;
const ACTING = { sideEffect: true, approval: () => true } as const;

/** One tool per offer. */
export function directTools(offers: readonly NamedOffer[]): Tool[] {
  return offers.map((offer) =>
    defineTool({
      name: offer.name,
      description: offer.description,
      // The system validates the input: it knows the whole schema.
      input: z.looseObject({}),
      inputSchema: offeredSchema(offer.inputSchema),
      ...(offer.requires !== undefined && { requires: offer.requires }),
      ...(!offer.readOnly && ACTING),
      timeoutSeconds: TIMEOUT_SECONDS,
      summarize: (input) => `${offer.system} ${offer.what}${shown(input)}`,
      run: (input, context) => query(offer, input, context),
    }),
  );
}

const query = async (
  { run, source }: NamedOffer,
  input: Record<string, unknown>,
  context: ToolContext,
): Promise<ToolOutput> => ({ ...(await run(input, context)), ...(source !== undefined && { source }) });

const shown = (input: object): string => (Object.keys(input).length === 0 ? '' : ` ${JSON.stringify(input)}`);

export const SEARCH_TOOL = 'search_connected_tools';
const CALL_TOOL = 'call_connected_tool';
const ACT_TOOL = 'act_with_connected_tool';

const MAX_FOUND = 30;
/** Maximum length of one answer's descriptions and schemas: it should fit into one view. */
const MAX_DESCRIPTION = 400;
const SCHEMAS_CHARACTERS = 9_000;
const MAX_SUGGESTIONS = 5;

const callInput = z.strictObject({
  name: z.string().trim().min(1).max(100).describe(`The name of a tool, from ${SEARCH_TOOL}.`),
  input: z.record(z.string(), z.unknown()).default({}).describe('Its input, by its own schema.'),
});
type CallInput = z.infer<typeof callInput>;

/** Search, call and act. */
export function foundTools(offers: readonly NamedOffer[]): Tool[] {
  const acts = offers.some(({ readOnly }) => !readOnly);
  return [search(offers), caller(offers, 'read'), ...(acts ? [caller(offers, 'act')] : [])] as Tool[];
}

/** The scope that all of these need, so that a tool is not offered in vain; each call checks that of its own offer. */
function commonScope(offers: readonly NamedOffer[]): { requires?: string } {
  const [scope, ...others] = new Set(offers.map(({ requires }) => requires));
  return scope !== undefined && others.length === 0 ? { requires: scope } : {};
}

const mayCall = ({ requires }: NamedOffer, { actor }: ToolContext): boolean =>
  requires === undefined || grants(actor.scopes, requires);

function search(offers: readonly NamedOffer[]) {
  const systems = [...new Set(offers.map(({ system }) => system))];
  return defineTool({
    name: SEARCH_TOOL,
    description: `Finds tools by words among the ${offers.length} of the systems that the team has connected (databases, clouds, clusters, traces, MCP servers). Returns the name, description and input schema of each, best first. The exact name of a tool returns its full description and schema.`,
    input: z.strictObject({
      query: z.string().trim().min(1).max(300).describe('Words, such as "kubernetes pod logs".'),
      limit: z
        .number()
        .int()
        .min(1)
        .max(MAX_FOUND)
        .default(10)
        .describe('Maximum number of tools to return, 10 by default.'),
    }),
    ...commonScope(offers.filter(({ readOnly }) => readOnly)),
    summarize: ({ query }) => `Search the connected systems' tools for "${query}"`,
    run: async ({ query, limit }, context) => {
      const callable = offers.filter((offer) => mayCall(offer, context));
      const found = searchOffers(callable, query);
      if (found.length === 0) {
        const some = callable.slice(0, MAX_FOUND).map(({ name }) => name);
        return jsonOutput(
          { tools: [], matched: 0, total: callable.length, systems, some },
          'No tool matches these words',
        );
      }
      const shown = found.slice(0, limit);
      const isWhole = shown.length === 1;
      let room = isWhole ? Number.POSITIVE_INFINITY : SCHEMAS_CHARACTERS;
      const tools = shown.map((offer) => {
        const { name, system, inputSchema, readOnly } = offer;
        const description = isWhole ? offer.description : clip(offer.description, MAX_DESCRIPTION);
        const length = JSON.stringify(inputSchema).length;
        const fits = length <= room;
        if (fits) room -= length;
        const schema = fits
          ? { input_schema: inputSchema }
          : { input_schema_omitted: `search for "${name}" to see it` };
        return { name, system, description, call_with: readOnly ? CALL_TOOL : ACT_TOOL, ...schema };
      });
      return jsonOutput(
        { tools, matched: found.length, total: callable.length },
        `${count(found.length, 'tool')}, best ${shown[0]!.name}`,
      );
    },
  });
}

function caller(offers: readonly NamedOffer[], does: 'read' | 'act') {
  const byName = new Map(offers.map((offer) => [offer.name, offer]));
  const run = async ({ name, input }: CallInput, context: ToolContext) => {
    const offer = byName.get(name);
    if (!offer) {
      const suggestions = searchOffers(offers, name.replaceAll('_', ' ')).slice(0, MAX_SUGGESTIONS);
      return errorOutput(`No connected system offers a tool "${name}"; ${SEARCH_TOOL} finds the existing ones.`, {
        similar: suggestions.map((similar) => similar.name),
      });
    }
    const right = offer.readOnly ? CALL_TOOL : ACT_TOOL;
    if (!mayCall(offer, context))
      return errorOutput(
        `${name} needs the scope ${offer.requires}, which the credential that this is done for does not have.`,
      );
    if (offer.readOnly === (does === 'read')) return query(offer, input, context);
    const why = offer.readOnly ? 'only reads' : 'may change things';
    return errorOutput(`${name} ${why}: call it with ${right}, if you have that tool.`);
  };
  const summarize = ({ name, input }: CallInput): string => `${name}${shown(input)}`;
  const own = offers.filter(({ readOnly }) => readOnly === (does === 'read'));
  const shared = { ...commonScope(own), input: callInput, timeoutSeconds: TIMEOUT_SECONDS, summarize, run };
  return does === 'read'
    ? defineTool({
        ...shared,
        name: CALL_TOOL,
        description: `Calls a connected system's read-only tool, with the name and the input schema that ${SEARCH_TOOL} returns.`,
      })
    : defineTool({
        ...shared,
        ...ACTING,
        approval: ({ name }) => byName.get(name)?.readOnly === false,
        name: ACT_TOOL,
        description: `Calls a connected system's tool that may change things, with the name and the input schema that ${SEARCH_TOOL} returns.`,
      });
}

/** A word in the name says more than one in the description. */
const NAME_WEIGHT = 3;

/**
 * The offers that contain a word of the query, best first: rare words count for more (as in tf-idf), words of the name
 * for more than those of the description. The exact name of an offer matches that offer alone. Ties keep the given
 * order.
 */
export function searchOffers(offers: readonly NamedOffer[], query: string): NamedOffer[] {
  const exact = offers.find(({ name }) => name === query.trim());
  if (exact) return [exact];
  const asked = [...new Set(words(query))];
  const texts = offers.map(({ name, system, what, description }) => ({
    name: new Set(words(`${name} ${system} ${what}`)),
    description: new Set(words(description)),
  }));
  const has = (text: (typeof texts)[number], word: string): boolean =>
    text.name.has(word) || text.description.has(word);
  const rarity = new Map(
    asked.map((word) => [word, Math.log(1 + offers.length / (1 + texts.filter((text) => has(text, word)).length))]),
  );
  const scoreOf = (text: (typeof texts)[number]): number =>
    asked.reduce((sum, word) => {
      const weight = text.name.has(word) ? NAME_WEIGHT : text.description.has(word) ? 1 : 0;
      return sum + weight * rarity.get(word)!;
    }, 0);
  return offers
    .map((offer, index) => ({ offer, score: scoreOf(texts[index]!) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ offer }) => offer);
}

/** Lower-case words without a plural `s`. */
function words(text: string): string[] {
  return text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1)
    .map((word) => (word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word));
}
