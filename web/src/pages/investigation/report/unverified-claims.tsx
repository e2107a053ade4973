import { Panel } from '../../../components/ui/panel.tsx';
import type { Report } from '../queries.ts';
import { placeOf } from './place-of.ts';

/** Claims without evidence. They may still be true; the reader should know. */
export function UnverifiedClaims({ claims }: { claims: Report['unverified_claims'] }) {
  if (claims.length === 0) return null;
  return (
    <Panel title="Claims without verified evidence" className="border-warn">
      <p className="text-sm text-ink-soft">
        Every claim was checked against the stored results. These have no verified evidence; treat them with caution.
      </p>
      <ul className="mt-3 flex flex-col gap-3 text-sm">
        {claims.map(({ where, claim, why }) => (
          <li key={`${where} ${claim}`}>
            <q className="break-words">{claim}</q>
            <span className="block text-ink-soft">
              {placeOf(where)}: {why}.
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
