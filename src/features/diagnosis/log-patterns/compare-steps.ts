import { changeOf, type Change, type ChangeWindows } from '../change.ts';
import type { LogLine } from '../types.ts';
import type { Execution } from './executions.ts';
import { ServiceTemplates } from './templates.ts';

/** How often executions that come to a step go on in one way, incident against baseline. */
export interface StepComparison {
  service: string;
  operation: string;
  /** The line that is the step; absent at the beginning of an execution. */
  after?: LoggedTemplate;
  /** What is logged next; absent if nothing is. */
  next?: LoggedTemplate;
  /** Of the executions that come to the step, 0 to 1. */
  share: Change;
}

export interface LoggedTemplate {
  /** `<*>` marks variable parts. */
  template: string;
  /** One line, verbatim. */
  example: string;
  level?: string;
}

/** A template, found while lines are still being added. */
interface Statement {
  line: LogLine;
}

interface Step {
  service: string;
  operation: string;
  last: Statement | undefined;
  at: number[];
  next: Array<Statement | undefined>;
}

const LEAST_SHARE = 0.05;
/** Ways to go on compared at each step, the most frequent ones: messages that no template covers must not cost more. */
const MAX_NEXT = 50;

/**
 * Compares what executions log next, line by line: that follows from the code, and not from how many requests of which
 * kind there are. Without lines of the healthy period, the incident is compared with itself. Pure.
 * @param isCompared which lines to compare, by level, and whether to compare ends (undefined)
 */
export function compareSteps(
  executions: readonly Execution[],
  windows: ChangeWindows,
  isCompared: (next: Pick<LogLine, 'level'> | undefined) => boolean = () => true,
): StepComparison[] {
  const templates = new ServiceTemplates<Statement>();
  const steps = new Map<string | Statement, Step>();
  for (const { span, kind, lines } of executions) {
    const { service, operation } = span;
    let last: Statement | undefined;
    let at = span.start;
    for (const line of [...lines, undefined]) {
      const next = line && templates.groupOf(line, () => ({ line }));
      let step = steps.get(last ?? kind);
      if (step === undefined) steps.set(last ?? kind, (step = { service, operation, last, at: [], next: [] }));
      step.at.push(at);
      step.next.push(next);
      last = next;
      at = line?.at ?? at;
    }
  }
  const texts = new Map(templates.all().map(({ template, group }) => [group, template]));
  const logged = (statement: Statement | undefined): LoggedTemplate | undefined => {
    if (statement === undefined) return undefined;
    const { message: example, level } = statement.line;
    return { template: texts.get(statement) ?? example, example, ...(level !== undefined && { level }) };
  };
  // What one execution came to has nothing to be compared with.
  const repeated = [...steps.values()].filter(({ at }) => at.length > 1);
  return repeated.flatMap(({ service, operation, last, at, next }) =>
    [...Map.groupBy(next, (one) => one)]
      .filter(([one]) => isCompared(one?.line))
      .toSorted(([, a], [, b]) => b.length - a.length)
      .slice(0, MAX_NEXT)
      .map(([one]) => {
        const [from, to] = [logged(last), logged(one)];
        const share = changeOf(
          { at, values: next.map((other) => (other === one ? 1 : 0)) },
          { windows, statistic: 'mean', leastSpread: LEAST_SHARE, leastShare: 0, withinIncident: true },
        );
        return { service, operation, ...(from && { after: from }), ...(to && { next: to }), share };
      }),
  );
}
