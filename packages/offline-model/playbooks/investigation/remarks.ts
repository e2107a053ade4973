import type { Remark } from '../../transcript.ts';
import type { CaseFile } from './case-file.ts';
import { knownServices } from './conclusion.ts';
import { namesIn } from './words.ts';

/** The services that people's messages name. */
export function namedByPeople(file: CaseFile, remarks: readonly Remark[] = file.transcript.remarks): string[] {
  const known = knownServices(file);
  return [...new Set(remarks.flatMap(({ text }) => namesIn(text, known)))];
}
