import type { LogLine } from '../types.ts';
import { DrainTree } from './drain.ts';
import { maskVariables, tokenizeMasked } from './tokens.ts';

/** Templates kept at once; the least recently seen goes first. */
const MAX_TEMPLATES = 5_000;

/** The templates of each service and level, with what the caller gathers about each. */
export class ServiceTemplates<Group> {
  readonly #tree = new DrainTree<Group>(MAX_TEMPLATES, () => undefined);
  /** By masked line: most lines are not the first of their kind. */
  readonly #known = new Map<string, Group>();

  /** What is gathered about the template of a line. */
  groupOf(line: LogLine, newGroup: () => Group): Group {
    const masked = maskVariables(line.message);
    const origin = `${line.service} ${line.level ?? ''}`;
    const key = `${origin} ${masked}`;
    let group = this.#known.get(key);
    if (group === undefined) {
      group = this.#tree.add(tokenizeMasked(masked), origin, newGroup).group;
      this.#known.set(key, group);
    }
    return group;
  }

  all(): Array<{ template: string; group: Group }> {
    return this.#tree.templates().map(({ tokens, group }) => ({ template: tokens.join('').trim(), group }));
  }
}
