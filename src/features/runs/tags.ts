/** These tell the model who is speaking. */
const SPEAKERS = ['summary', 'context', 'user_message', 'query', 'task', 'tool_result'] as const;
/** These separate the parts of a transcript to be summarized. */
const PARTS = ['question', 'answer', 'evidence'] as const;

const tagOf = (names: readonly string[]): RegExp =>
  new RegExp(String.raw`<(\\*\/?\s{0,8}(?:${names.join('|')})\b)`, 'giu');
const SPEAKER = tagOf(SPEAKERS);
const ANY = tagOf([...SPEAKERS, ...PARTS]);

/** Foreign text in which nothing reads as one of our tags: their `<` is followed by a backslash. */
export const withoutTags = (text: string): string => text.replace(ANY, String.raw`<\$1`);

/** Text that we divide into parts ourselves, in which nothing may look like a speaker. */
export const withoutSpeakers = (text: string): string => text.replace(SPEAKER, String.raw`<\$1`);
