/** Markdown written by a model or a tool: nothing in it runs, and nothing in it is fetched. */
import { Component, createContext, memo, use, useEffect, useId, useMemo, useRef, type ReactNode } from 'react';
import ReactMarkdown, { type Options } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { splitBlocks } from './blocks.ts';
import { remarkBareUrls } from './bare-urls.ts';
import { remarkCitations } from './citations.ts';
import { elements } from './elements.tsx';
import { isTooMuch } from './limits.ts';
import { remarkRawHtml } from './raw-html.ts';
import './markdown.css';

export interface MarkdownProps {
  text: string;
  /** The citation numbers that can be opened, ideally with what each cites; other numbers in brackets stay text. */
  citations?: ReadonlySet<number> | ReadonlyMap<number, string>;
  onCitation?: (n: number) => void;
  /** How many levels below `h1` a `#` heading starts, so that the page keeps its heading order. */
  headingOffset?: number;
}

const NO_CITATIONS: ReadonlySet<number> = new Set();

interface Cited {
  open: (n: number) => void;
  nameOf: (n: number) => string;
}
const CitedContext = createContext<Cited>({ open: () => undefined, nameOf: String });

/**
 * GFM as elements. Raw HTML is shown as text; links lead to http, https, mailto and paths of this app, bare
 * URLs nowhere; only this app's
 * charts are shown as images. Only changed blocks are re-parsed, so text may grow many times a second.
 */
export function Markdown({ text, citations = NO_CITATIONS, onCitation, headingOffset = 1 }: MarkdownProps) {
  const { blocks, definitions } = useMemo(() => splitBlocks(text), [text]);
  const known = useSameSet(onCitation === undefined ? NO_CITATIONS : new Set(citations.keys()));
  const latest = useRef(onCitation);
  useEffect(() => {
    latest.current = onCitation;
  }, [onCitation]);
  const cited = useMemo<Cited>(
    () => ({
      open: (n) => latest.current?.(n),
      nameOf: (n) => {
        const label = 'get' in citations ? citations.get(n) : undefined;
        return label === undefined ? `Citation ${n}` : `Citation ${n}: ${label}`;
      },
    }),
    [citations],
  );
  return (
    <CitedContext value={cited}>
      <div className="markdown">
        {blocks.map((block, index) => (
          // Text only grows at its end, so a block keeps its index.
          // oxlint-disable-next-line react/no-array-index-key
          <Block key={index} text={block} definitions={definitions} known={known} headingOffset={headingOffset} />
        ))}
      </div>
    </CitedContext>
  );
}

/** Returns the same object as long as the set holds the same numbers. */
function useSameSet(numbers: ReadonlySet<number>): ReadonlySet<number> {
  const key = [...numbers].join(',');
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the key says when the numbers are others
  return useMemo(() => numbers, [key]);
}

interface BlockProps {
  text: string;
  definitions: string;
  known: ReadonlySet<number>;
  headingOffset: number;
}

const Block = memo(function Block({ text, definitions, known, headingOffset }: BlockProps) {
  const id = useId();
  const options = useMemo<Pick<Options, 'remarkPlugins' | 'remarkRehypeOptions' | 'components'>>(
    () => ({
      remarkPlugins: [remarkGfm, remarkBareUrls, remarkRawHtml, [remarkCitations, { known }]],
      remarkRehypeOptions: { clobberPrefix: `${id}-` },
      components: { ...elements(headingOffset), cite: CitationButton },
    }),
    [known, headingOffset, id],
  );
  if (isTooMuch(text)) return <Plain text={text} />;
  return (
    <Fallback text={text}>
      {/* Addresses are judged where links and images are drawn, which knows what they are for. */}
      <ReactMarkdown {...options} urlTransform={(url) => url}>
        {definitions === '' ? text : `${definitions}\n\n${text}`}
      </ReactMarkdown>
    </Fallback>
  );
});

const Plain = ({ text }: { text: string }) => <div className="whitespace-pre-wrap">{text}</div>;

interface FallbackProps {
  text: string;
  children: ReactNode;
}

/** Falls back to plain text if rendering fails; new text is tried again. */
class Fallback extends Component<FallbackProps, { text: string; isBroken: boolean }> {
  override state = { text: this.props.text, isBroken: false };
  static getDerivedStateFromProps = ({ text }: FallbackProps, state: { text: string }) =>
    state.text === text ? null : { text, isBroken: false };
  static getDerivedStateFromError = () => ({ isBroken: true });
  override render(): ReactNode {
    return this.state.isBroken ? <Plain text={this.props.text} /> : this.props.children;
  }
}

function CitationButton({ node, children }: { node?: { properties: Record<string, unknown> }; children?: ReactNode }) {
  const { open, nameOf } = use(CitedContext);
  const number = Number(node?.properties['dataCitation']);
  return (
    <button type="button" className="citation" aria-label={nameOf(number)} onClick={() => open(number)}>
      {children}
    </button>
  );
}
