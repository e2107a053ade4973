/** Markdown in a chat. The plain text is shown until the renderer has loaded. */
import { lazy, Suspense, type ComponentProps } from 'react';

const drawing = import('../../components/markdown/markdown.tsx');
const Markdown = lazy(async () => ({ default: (await drawing).Markdown }));

export const Prose = (props: ComponentProps<typeof Markdown>) => (
  <Suspense fallback={<p className="break-words whitespace-pre-wrap">{props.text}</p>}>
    <Markdown {...props} />
  </Suspense>
);
