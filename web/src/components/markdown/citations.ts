/** Finds citations such as `[3]`, `[1][2]` and `[1, 2]` in the tree of a Markdown text. */

export interface MarkdownNode {
  type: string;
  value?: string;
  label?: string | null;
  identifier?: string;
  children?: MarkdownNode[];
  data?: Record<string, unknown>;
  position?: { start: { offset?: number } };
}

/** Not searched: links keep their text, and code is shown verbatim. */
const OPAQUE = new Set(['link', 'code', 'inlineCode', 'html', 'definition', 'image', 'imageReference']);
const GROUP = /\[(\d{1,5}(?:\s{0,2}[,;]\s{0,2}\d{1,5}){0,30})\]/g;

const textNode = (value: string): MarkdownNode => ({ type: 'text', value });

/** A node that becomes `<cite data-citation="3">`, which Markdown cannot produce any other way. */
const citationNode = (number: number): MarkdownNode => ({
  type: 'citation',
  data: { hName: 'cite', hProperties: { dataCitation: String(number) } },
  children: [textNode(String(number))],
});

/** The number of a reference `[3]` that a definition `[3]: address` turned into a link; citations win. */
function citedByReference({ type, identifier = '' }: MarkdownNode, known: ReadonlySet<number>): number | undefined {
  return type === 'linkReference' && /^\d{1,5}$/.test(identifier) && known.has(Number(identifier))
    ? Number(identifier)
    : undefined;
}

function inText(text: string, known: ReadonlySet<number>): MarkdownNode[] | undefined {
  const nodes: MarkdownNode[] = [];
  let end = 0;
  for (const match of text.matchAll(GROUP)) {
    const numbers = (match[1] ?? '').split(/[,;]/).map(Number);
    if (!numbers.some((number) => known.has(number))) continue;
    nodes.push(textNode(text.slice(end, match.index)));
    nodes.push(...numbers.map((number) => (known.has(number) ? citationNode(number) : textNode(`[${number}]`))));
    end = match.index + match[0].length;
  }
  return end === 0 ? undefined : [...nodes, textNode(text.slice(end))].filter(({ value }) => value !== '');
}

function mark(parent: MarkdownNode, known: ReadonlySet<number>): void {
  parent.children = parent.children?.flatMap((node) => {
    if (node.type === 'text') return inText(node.value ?? '', known) ?? [node];
    const number = citedByReference(node, known);
    if (number !== undefined) {
      const text = node.children?.map(({ value = '' }) => value).join('') ?? '';
      const isPair = /^\d{1,5}$/.test(text) && Number(text) !== number && known.has(Number(text));
      return isPair ? [citationNode(Number(text)), citationNode(number)] : [citationNode(number)];
    }
    if (!OPAQUE.has(node.type) && node.type !== 'linkReference') mark(node, known);
    return [node];
  });
}

/**
 * A remark plugin that turns citations of known numbers into elements, whatever links the text defines under the same
 * names. Unknown numbers in brackets stay text.
 */
export function remarkCitations({ known }: { known: ReadonlySet<number> }): (tree: MarkdownNode) => void {
  return (tree) => mark(tree, known);
}
