/** Renders the elements of Markdown. */
import { ExternalLink } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import type { Components } from 'react-markdown';
import { CopyButton } from '../ui/copy-button.tsx';
import { useTheme } from '../../app/theme.ts';
import { chartPicture, linkTarget } from './links.ts';

interface HastNode {
  type: string;
  value?: string;
  tagName?: string;
  properties?: Record<string, unknown>;
  children?: readonly unknown[];
}

const isNode = (value: unknown): value is HastNode => typeof value === 'object' && value !== null && 'type' in value;

const textOf = (node: HastNode | undefined): string =>
  node?.value ?? node?.children?.filter(isNode).map(textOf).join('') ?? '';

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'] as const;

/** @param offset how many levels below `h1` a `#` heading starts */
export function elements(offset: number): Components {
  const headings = HEADINGS.map((name, index): [string, unknown] => {
    const Heading = HEADINGS[Math.min(index + offset, 5)] ?? 'h6';
    return [
      name,
      ({ children, id }: ComponentProps<'h1'>) => (
        <Heading id={id} className={`level-${index + 1}`}>
          {children}
        </Heading>
      ),
    ];
  });
  return { ...Object.fromEntries(headings), a: Anchor, img: Image, pre: CodeBlock, table: Table, input: Task };
}

function Anchor({ href, children, id }: ComponentProps<'a'>) {
  const target = linkTarget(href ?? '', location.origin);
  if (target === undefined) {
    return (
      <span title={`Blocked link: ${href ?? ''}`} className="dead-link">
        {children}
      </span>
    );
  }
  return target.isExternal ? (
    <a href={target.href} title={target.href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ) : (
    <a href={target.href} id={id}>
      {children}
    </a>
  );
}

/** Charts of this app are shown; any other image is only named, never fetched unasked. */
function Image({ src, alt }: ComponentProps<'img'>) {
  const url = typeof src === 'string' ? src : '';
  const chart = chartPicture(url, location.origin, useTheme());
  const name = alt === undefined || alt === '' ? 'Image' : alt;
  if (chart !== undefined) return <img src={chart} alt={name} loading="lazy" />;
  const target = linkTarget(url, location.origin);
  if (target === undefined) return <span className="dead-link">{name}</span>;
  return (
    <Anchor href={url}>
      {name} <ExternalLink aria-label="(image, not loaded)" size="0.85em" className="inline" />
    </Anchor>
  );
}

function CodeBlock({ children, node }: { children?: ReactNode; node?: HastNode }) {
  const code = node?.children?.find(isNode);
  const [className] = Array.isArray(code?.properties?.['className']) ? code.properties['className'] : [];
  const language = typeof className === 'string' ? className.replace(/^language-/, '').slice(0, 40) : '';
  return (
    <div className="code-block">
      <div className="code-head">
        <span className="min-w-0 flex-1 truncate">{language}</span>
        <CopyButton variant="quiet" size="small" text={() => textOf(code)}>
          Copy
        </CopyButton>
      </div>
      {/* It scrolls within itself, by keyboard as well. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="region" aria-label={language === '' ? 'Code' : `Code, ${language}`}>
        {children}
      </pre>
    </div>
  );
}

function Table({ children, node }: { children?: ReactNode; node?: HastNode }) {
  const head = node?.children?.filter(isNode).find(({ tagName }) => tagName === 'thead');
  const columns = textOf(head)
    .trim()
    .split(/\s*\n\s*/)
    .join(', ');
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="table-box" tabIndex={0} role="region" aria-label={`Table: ${columns.slice(0, 80)}`}>
      <table>{children}</table>
    </div>
  );
}

const Task = ({ checked }: ComponentProps<'input'>) => (
  <span role="img" aria-label={checked === true ? 'Done:' : 'To do:'}>
    {checked === true ? '☑' : '☐'}{' '}
  </span>
);
