/** By these a model tells who speaks. */
const SPEAKERS = ['summary', 'context', 'user_message', 'query', 'task', 'tool_result'] as const;
/** These set the parts of a summarised transcript apart. */
const PARTS = ['question', 'answer', 'evidence'] as const;

const tagOf = (names: readonly string[]): RegExp =>
  new RegExp(String.raw`<(\\*\/?\s{0,8}(?:${names.join('|')})\b)`, 'giu');
const SPEAKER = tagOf(SPEAKERS);
const ANY = tagOf([...SPEAKERS, ...PARTS]);

/** Text from somewhere else, in which nothing reads as one of our tags: a backslash stands after the `<`. */
export const withoutTags = (text: string): string => text.replace(ANY, String.raw`<\$1`);

/** Text that is set apart in parts by ourselves, in which nobody speaks up. */
export const withoutSpeakers = (text: string): string => text.replace(SPEAKER, String.raw`<\$1`);
