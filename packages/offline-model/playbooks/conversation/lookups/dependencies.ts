import type { ServiceDependenciesResult } from '../../../../../src/features/tools/results.ts';
import type { Found } from '../../investigation/case-file.ts';
import { call } from '../../investigation/gather.ts';
import { arrows } from '../problem/facts.ts';
import { bullets, cite, failureOf, listed, name, paragraphs, verbatim } from '../wording.ts';
import type { Lookup } from './lookup.ts';
import { assumed } from './target.ts';

type Direction = ServiceDependenciesResult['direction'];

const MOST_SHOWN = 15;
const IMPACT = /\bblast radius\b|\b(?:affected|impacted|suffers?|impact)\b/i;
const DOWN =
  /\b(?:what|which|who)\b[^.?!]*\b(?:does|do|did|is|are)\b[^.?!]*\b(?:depend(?:ent|ing)?|rel(?:y|ies)|calls?|uses?|talks?)\b|\bdownstream\b|\bcallees?\b|\bdependenc(?:y|ies) of\b|\bits dependenc(?:y|ies)\b|'s dependenc(?:y|ies)\b/i;
const UP =
  /\bupstream\b|\bcallers?\b|\bdependents?\b|\b(?:depends?|relies|rely)\s+on\b|\b(?:who|what|which(?: services?)?)\s+(?:\w+\s+)?(?:calls?|uses?)\b/i;

export const dependencies: Lookup = {
  what: 'dependencies',
  tool: 'service_dependencies',
  part: 'dependencies',
  calls(chat, _file, target, source) {
    const start = target.service ?? target.source.alerts[0]?.service;
    if (start === undefined) return [];
    return [call('service_dependencies', { source, service: start, direction: directionIn(chat.question.text) })];
  },
  answer(_chat, file, target) {
    const { dependencies: found } = file;
    if (!found) {
      const failed = file.failures.find(({ tool }) => tool === 'service_dependencies');
      if (failed)
        return paragraphs(assumed(target), `The dependency graph gave no answer: ${failureOf(failed)}${cite(failed)}.`);
      return `Name the service whose dependencies you mean; ${name(target.source.id)} has none to begin from.`;
    }
    return paragraphs(assumed(target), graph(found));
  },
};

/** Exported for its tests: what `depends on` is said of decides the way. */
export function directionIn(question: string): Direction {
  if (IMPACT.test(question)) return 'impact';
  if (DOWN.test(question)) return 'downstream';
  return UP.test(question) ? 'upstream' : 'downstream';
}

function graph({ call, result }: Found<ServiceDependenciesResult>): string {
  const { service, services, edges, direction, cycles, truncated } = result;
  const of = name(service);
  const [none, direct, further] = {
    downstream: [`${of} calls no other service`, `**${of} calls** directly`, `Through these it also depends on`],
    upstream: [`No service calls ${of}`, `**${of} is called** directly by`, `Through these it is also used by`],
    impact: [
      `No service calls ${of}, so nothing else suffers when it fails`,
      `**When ${of} fails**, these suffer first`,
      `Behind them suffer`,
    ],
  }[direction];
  if (services.length === 0) return `${none}${cite(call)}.`;
  const rate = (other: string): string => {
    const edge = edges.find(({ caller, callee }) =>
      direction === 'downstream' ? caller === service && callee === other : callee === service && caller === other,
    );
    return edge?.calls_per_second === undefined ? '' : ` (${verbatim(edge.calls_per_second)} calls/s)`;
  };
  const near = services.filter(({ depth }) => depth === 1);
  const far = services.filter(({ depth }) => depth > 1);
  const nearText = `${direct}: ${listed(
    near.map((one) => `${name(one.name)}${rate(one.name)}`),
    MOST_SHOWN,
  )}${cite(call)}.`;
  const farText = `${further}:\n\n${bullets(far.slice(0, MOST_SHOWN).map(({ name: other, path }) => `${name(other)}, by way of ${arrows(direction === 'downstream' ? path : path.toReversed())}${cite(call)}`))}`;
  const circle = cycles[0]
    ? `Some services call each other in a circle: ${arrows([...cycles[0], cycles[0][0] ?? ''])}${cite(call)}.`
    : '';
  return paragraphs(
    nearText,
    far.length > 0 ? farText : '',
    circle,
    truncated ? 'There are more than I was given.' : '',
  );
}
