/** Labels and links of an external alert. */
import { detailRows, linksIn, safeUrl } from './detail-rows.ts';
import { ScrollBox } from '../../components/ui/scroll-box.tsx';

/** Everything in an alert is shown as text; only web addresses become links. */
export function Details({ details }: { details: Readonly<Record<string, unknown>> }) {
  const links = linksIn(details);
  return (
    <ScrollBox label="Alert labels and links" className="flex max-h-96 flex-col gap-3 text-sm">
      {links.length > 0 && (
        <ul className="flex flex-col gap-1.5">
          {links.map(({ label, url }, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- an alert may say the same twice
            <li key={index} className="line-clamp-3 break-words">
              <Address url={url}>{label}</Address>
            </li>
          ))}
        </ul>
      )}
      <dl className="flex flex-col gap-1.5">
        {detailRows(details).map(({ name, value }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a label may be called as another member
          <div key={index} className="grid grid-cols-[minmax(6rem,1fr)_minmax(0,2fr)] gap-x-3">
            <dt className="break-all text-ink-soft">{name}</dt>
            <dd className="line-clamp-6 min-w-0 break-words">
              <Address url={value}>{value}</Address>
            </dd>
          </div>
        ))}
      </dl>
    </ScrollBox>
  );
}

/** A link if it leads to the web, otherwise text. */
function Address({ url, children }: { url: string; children: string }) {
  const href = safeUrl(url);
  if (href === undefined) return <bdi>{children}</bdi>;
  return (
    <a
      href={href}
      title={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="break-all text-accent underline"
    >
      <bdi>{children}</bdi>
    </a>
  );
}
