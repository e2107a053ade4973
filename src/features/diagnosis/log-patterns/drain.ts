/**
 * Drain: An Online Log Parsing Approach with Fixed Depth Tree (He, Zhu, Zheng, Lyu; ICWS 2017). Their number of tokens
 * and first word lead lines to a leaf with few templates; a line joins the template it shares most constant tokens
 * with, or becomes one. Here the log level leads too (an error is not a variant of an info line), and a template of
 * another form (punctuation, keys) is never similar.
 * Memory is bounded: beyond the maximum, the least recently used template is evicted.
 */
import { formOf, isVariable, WILDCARD, wildcardFor } from './tokens.ts';

interface Template<Group> {
  tokens: string[];
  /** What the caller gathers about lines of the template. */
  group: Group;
  leaf: string;
  form: boolean[];
  /** When it was last used, counted in lines. */
  used: number;
}

/** Share of constant tokens a line must have in common with a template, as in the paper's experiments. */
const SIMILAR_ENOUGH = 0.5;
/**
 * First words that a tree node tells apart; all others lead to one leaf, so that a variable first word does no harm.
 */
const MAX_FIRST_WORDS = 100;
/** A full leaf holds lines with little in common; comparing with more would only cost time. */
const MAX_PER_LEAF = 100;

export class DrainTree<Group> {
  readonly #most: number;
  readonly #forget: (group: Group) => void;
  readonly #leaves = new Map<string, Template<Group>[]>();
  readonly #firstWords = new Map<string, Set<string>>();
  /** Least recently used first. */
  readonly #recent = new Set<Template<Group>>();
  #line = 0;

  /**
   * @param most templates to keep
   * @param forget receives the group of an evicted template
   */
  constructor(most: number, forget: (group: Group) => void) {
    this.#most = most;
    this.#forget = forget;
  }

  /** Finds or creates the template of a line. */
  add(tokens: readonly string[], level: string, newGroup: () => Group): Template<Group> {
    this.#line++;
    const form = formOf(tokens);
    const leaf = this.#leafOf(tokens, form, level);
    const candidates = this.#leaves.get(leaf) ?? [];
    const template = mostSimilar(tokens, form, candidates);
    if (template) {
      merge(template.tokens, tokens);
      template.used = this.#line;
      this.#recent.delete(template);
      this.#recent.add(template);
      return template;
    }
    const added: Template<Group> = { tokens: [...tokens], group: newGroup(), leaf, form, used: this.#line };
    if (candidates.length >= MAX_PER_LEAF) this.#drop(leastRecent(candidates));
    if (this.#recent.size >= this.#most) this.#drop(this.#recent.values().next().value);
    this.#leaves.set(leaf, [...(this.#leaves.get(leaf) ?? []), added]);
    this.#recent.add(added);
    return added;
  }

  templates(): Template<Group>[] {
    return [...this.#recent];
  }

  #leafOf(tokens: readonly string[], form: readonly boolean[], level: string): string {
    const branch = `${level} ${tokens.length}`;
    const first = tokens.find((_token, index) => !form[index])?.trim() ?? '';
    return `${branch} ${isVariable(first) ? WILDCARD : this.#firstWord(branch, first)}`;
  }

  #firstWord(branch: string, word: string): string {
    const known = this.#firstWords.get(branch);
    if (!known) this.#firstWords.set(branch, new Set([word]));
    else if (!known.has(word)) {
      if (known.size >= MAX_FIRST_WORDS) return WILDCARD;
      known.add(word);
    }
    return word;
  }

  #drop(template: Template<Group> | undefined): void {
    if (!template) return;
    this.#recent.delete(template);
    const left = (this.#leaves.get(template.leaf) ?? []).filter((other) => other !== template);
    if (left.length > 0) this.#leaves.set(template.leaf, left);
    else this.#leaves.delete(template.leaf);
    this.#forget(template.group);
  }
}

function leastRecent<Group>(templates: readonly Template<Group>[]): Template<Group> | undefined {
  let oldest = templates[0];
  for (const template of templates) if (template.used < (oldest?.used ?? 0)) oldest = template;
  return oldest;
}

function mostSimilar<Group>(
  tokens: readonly string[],
  form: readonly boolean[],
  candidates: readonly Template<Group>[],
): Template<Group> | undefined {
  let best: Template<Group> | undefined;
  let bestSimilarity = SIMILAR_ENOUGH;
  for (const candidate of candidates) {
    const similarity = similarityOf(tokens, form, candidate);
    if (similarity > bestSimilarity || (similarity === bestSimilarity && !best)) {
      best = candidate;
      bestSimilarity = similarity;
    }
  }
  return best;
}

/**
 * Share of the line's words that the template has too; 0 if the form differs. Masked parts of the line do not count.
 * Variable places of the template count as different, as in the paper: otherwise a template with few words left would
 * be the most similar to everything.
 */
function similarityOf<Group>(tokens: readonly string[], form: readonly boolean[], template: Template<Group>): number {
  let words = 0;
  let equal = 0;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] ?? '';
    const other = template.tokens[index] ?? '';
    if (form[index] || template.form[index]) {
      if (token !== other) return 0;
    } else if (!isVariable(token)) {
      words++;
      if (token === other) equal++;
    }
  }
  return words === 0 ? 1 : equal / words;
}

function merge(template: string[], tokens: readonly string[]): void {
  for (let index = 0; index < template.length; index++) {
    const token = template[index] ?? '';
    if (token !== tokens[index]) template[index] = wildcardFor(token);
  }
}
