/** Keeps bare URLs as plain text. */
import type { MarkdownNode } from './citations.ts';

/** `[text](address)` and `<address>` are meant as links; GFM also makes links of addresses that merely occur in a text. */
function unlink(parent: MarkdownNode, source: string): void {
  parent.children = parent.children?.flatMap((node) => {
    unlink(node, source);
    const { offset } = node.position?.start ?? {};
    const isMeant = offset !== undefined && (source[offset] === '[' || source[offset] === '<');
    return node.type === 'link' && !isMeant ? (node.children ?? []) : [node];
  });
}

/**
 * A remark plugin. What a model or a tool says is full of addresses that it took from telemetry; a click on one could
 * lead anybody anywhere, with whatever the address carries.
 */
export const remarkBareUrls = (): ((tree: MarkdownNode, file: { toString(): string }) => void) => (tree, file) =>
  unlink(tree, String(file));
