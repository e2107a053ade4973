/** How parts of the page open evidence next to it. */
import { createContext, use } from 'react';

export interface Evidence {
  /** What each citation that can be opened cites. */
  labels: ReadonlyMap<number, string>;
  /** The numbers with an excerpt that was found in the evidence. */
  verified: ReadonlySet<number>;
  openCitation: (n: number) => void;
  openCall: (id: string) => void;
}

export const EvidenceContext = createContext<Evidence>({
  labels: new Map(),
  verified: new Set(),
  openCitation: () => undefined,
  openCall: () => undefined,
});

export const useEvidence = (): Evidence => use(EvidenceContext);
