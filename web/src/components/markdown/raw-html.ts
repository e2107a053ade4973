/** Shows HTML in Markdown as the text it is. */
import type { MarkdownNode } from './citations.ts';

const FLOW = new Set(['root', 'blockquote', 'listItem', 'footnoteDefinition']);

function spell(parent: MarkdownNode): void {
  parent.children = parent.children?.map((node) => {
    if (node.type !== 'html') {
      spell(node);
      return node;
    }
    const text: MarkdownNode = { type: 'text', value: node.value ?? '' };
    if (!FLOW.has(parent.type)) return text;
    return { type: 'paragraph', data: { hProperties: { className: ['raw-html'] } }, children: [text] };
  });
}

/** A remark plugin that leaves no HTML for later stages to interpret. */
export const remarkRawHtml = (): ((tree: MarkdownNode) => void) => spell;
