/** How the parts of the page open the evidence beside it. */
import { createContext, use } from 'react';

export interface Evidence {
  /** The numbers that open something. */
  numbers: ReadonlySet<number>;
  /** Those of which an excerpt was found in the evidence. */
  verified: ReadonlySet<number>;
  openCitation: (n: number) => void;
  openCall: (id: string) => void;
}

export const EvidenceContext = createContext<Evidence>({
  numbers: new Set(),
  verified: new Set(),
  openCitation: () => undefined,
  openCall: () => undefined,
});

export const useEvidence = (): Evidence => use(EvidenceContext);
