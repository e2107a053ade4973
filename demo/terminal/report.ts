import pc from 'picocolors';

/**
 * Markdown for a terminal: headings, emphasis, quotes and rules get colour; the text stays as it is, so that what is
 * printed is the report itself.
 */
export function renderMarkdown(markdown: string): string {
  let fenced = false;
  return markdown
    .split('\n')
    .map((line) => {
      if (/^\s*(```|~~~)/.test(line)) {
        fenced = !fenced;
        return pc.dim(line);
      }
      if (fenced) return pc.dim(line);
      if (/^#{1,2} /.test(line)) return pc.bold(pc.cyan(line.replace(/^#+ /, '')));
      if (/^#{3,} /.test(line)) return pc.bold(line.replace(/^#+ /, ''));
      if (/^\s*>/.test(line)) return pc.dim(line);
      return line.replaceAll(/\*\*(.+?)\*\*/g, (_, bold: string) => pc.bold(bold));
    })
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n');
}
