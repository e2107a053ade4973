import { Markdown } from '../../../components/markdown/markdown.tsx';
import { markedText } from '../report/marked-text.ts';
import { useEvidence } from './evidence-context.ts';

/** A text of the report whose citations open their evidence. */
export function Prose({ text }: { text: string }) {
  const { labels, verified, openCitation } = useEvidence();
  return <Markdown text={markedText(text, verified)} citations={labels} onCitation={openCitation} />;
}
