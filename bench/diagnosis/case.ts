import type { RankingInput } from '../../src/features/diagnosis/index.ts';

/** One incident of a published data set, with what is known of its cause kept apart from what is ranked. */
export interface DiagnosisCase {
  dataset: 'petshop' | 'sockshop';
  /** The part of the data set a figure is given for, for example `low_traffic`. */
  system: string;
  /** Path of the case inside the data set. */
  name: string;
  input: RankingInput;
  /** The service at fault, where known. Never read before the ranking is done. */
  truth?: string;
}

/** The data set is not laid out as documented; the message says where and how. */
export class DatasetError extends Error {
  override name = 'DatasetError';
}
