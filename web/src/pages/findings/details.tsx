/** Labels and links of an alert from outside. */
import { detailRows, safeUrl } from './detail-rows.ts';

/** Whatever an alert says is shown as text; only addresses of the web lead somewhere. */
export function Details({ details }: { details: Readonly<Record<string, unknown>> }) {
  return (
    <dl className="flex max-h-96 flex-col gap-1.5 overflow-y-auto text-sm">
      {detailRows(details).map(({ name, value }) => {
        const url = safeUrl(value);
        return (
          <div key={name} className="grid grid-cols-[minmax(6rem,1fr)_minmax(0,2fr)] gap-x-3">
            <dt className="break-all text-ink-soft">{name}</dt>
            <dd className="line-clamp-6 min-w-0 break-words">
              {url === undefined ? (
                <bdi>{value}</bdi>
              ) : (
                <a
                  href={url}
                  target="_blank"
                  rel="noopener noreferrer nofollow"
                  className="break-all text-accent underline"
                >
                  {value}
                </a>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
