/** Calls between two services, as people write of them. */
import { servicesIn } from './services.ts';
import { takeLimit } from './thresholds.ts';
import type { Service, Subject } from './wish.ts';

const CALLS: RegExp[] = [
  /(?<caller>[\p{L}\d][\p{L}\d._-]*)\s*(?:->|→|=>|-->)\s*(?<callee>[\p{L}\d][\p{L}\d._-]*)/iu,
  /\b(?:calls?|requests|traffic|connections?|dependency|link|edge)\s+(?:that\s+go\s+)?(?:from|of|between)\s+(?<caller>\S+?)\s+(?:to|and)\s+(?<callee>\S+)/iu,
  /(?<caller>[\p{L}\d][\p{L}\d._-]*?)(?:['’]s?)?\s+(?:calls|requests|dependency|calling|call)\s+(?:to|on)?\s*(?<callee>[\p{L}\d][\p{L}\d._-]*)/iu,
  /(?<caller>[\p{L}\d][\p{L}\d._-]*)\s+(?:stops?|no longer|does not|doesn't)\s+(?:calling|to call|calls?|reach(?:ing)?)\s+(?<callee>[\p{L}\d][\p{L}\d._-]*)/iu,
  /\bfrom\s+(?<caller>\S+?)\s+to\s+(?<callee>\S+)/iu,
];
const MISSING =
  /\b(?:missing|disappears?|vanish\w*|gone|stops?(?:\s+(?:calling|to call))?|no longer|not\s+(?:seen|there)|breaks? off|lost)\b/iu;

/** @returns undefined unless two services that are known stand in it as caller and callee */
export function dependencyIn(text: string, services: readonly Service[]): Subject | undefined {
  for (const said of CALLS) {
    const { caller = '', callee = '' } = said.exec(text)?.groups ?? {};
    const [from, to] = [servicesIn(caller, services).names[0], servicesIn(callee, services).names[0]];
    if (from === undefined || to === undefined || from === to) continue;
    return { kind: 'dependency', caller: from, callee: to, isMissing: MISSING.test(text), limit: takeLimit({ text }) };
  }
  return undefined;
}
