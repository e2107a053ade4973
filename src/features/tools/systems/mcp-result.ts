/** The result of a tool of an MCP server, as text for a model. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { parseJson } from '../../../platform/parse-json.ts';

const block = z.looseObject({ type: z.string() });
const result = z.looseObject({
  content: z.array(block).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
});
const textBlock = z.object({ type: z.literal('text'), text: z.string() });
const binaryBlock = z.object({ type: z.enum(['image', 'audio']), data: z.string(), mimeType: z.string().optional() });
const linkBlock = z.object({ type: z.literal('resource_link'), uri: z.string(), name: z.string().optional() });
const embeddedBlock = z.object({
  type: z.literal('resource'),
  resource: z.object({ uri: z.string(), text: z.string().optional(), mimeType: z.string().optional() }),
});

/**
 * The concatenated texts of the result, then its structured content unless a text repeats it. Other content is named. A
 * result of unknown form is returned unchanged.
 * @param text the result as JSON
 */
export function readMcpResult(text: string): { content: string; isError: boolean } {
  const parsed = result.safeParse(parseJson(text));
  if (!parsed.success) return { content: text, isError: false };
  const { content, structuredContent, isError } = parsed.data;
  const texts = content.map(say);
  const isSaid = texts.some((one) => isDeepStrictEqual(parseJson(one), structuredContent));
  const structured = structuredContent === undefined || isSaid ? [] : [JSON.stringify(structuredContent)];
  return { content: [...texts, ...structured].join('\n\n'), isError };
}

function say(item: z.output<typeof block>): string {
  const plain = textBlock.safeParse(item);
  if (plain.success) return plain.data.text;
  const binary = binaryBlock.safeParse(item);
  if (binary.success) {
    const { type, mimeType = 'of unknown type', data } = binary.data;
    return `[${type} ${mimeType}, ${data.length} characters of base64, not shown]`;
  }
  const link = linkBlock.safeParse(item);
  if (link.success) return `[resource ${link.data.name ?? ''} ${link.data.uri}]`;
  const embedded = embeddedBlock.safeParse(item);
  if (!embedded.success) return JSON.stringify(item);
  const { uri, text, mimeType = '' } = embedded.data.resource;
  return text === undefined ? `[resource ${uri} ${mimeType}, not text]` : `[resource ${uri}]\n${text}`;
}
