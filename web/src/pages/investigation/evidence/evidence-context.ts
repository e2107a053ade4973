/** How parts of the page open evidence next to it. */
import { createContext, use } from 'react';

export interface Evidence {
  /** The numbers that can be opened. */
  numbers: ReadonlySet<number>;
  /** The numbers with an excerpt that was found in the evidence. */
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
