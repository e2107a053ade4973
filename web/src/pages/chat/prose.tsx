/** Markdown in a chat: the words are shown as they are until what draws them has come, and are never waited for. */
import { lazy, Suspense, type ComponentProps } from 'react';

const drawing = import('../../components/markdown/markdown.tsx');
const Markdown = lazy(async () => ({ default: (await drawing).Markdown }));

export const Prose = (props: ComponentProps<typeof Markdown>) => (
  <Suspense fallback={<p className="break-words whitespace-pre-wrap">{props.text}</p>}>
    <Markdown {...props} />
  </Suspense>
);
