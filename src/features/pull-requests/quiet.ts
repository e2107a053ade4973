/**
 * Text that a model wrote from telemetry, for a host: it notifies nobody, closes no issue, keeps no CI from running, and
 * gives no command. An invisible space breaks each of these, and people read the same.
 */
export const quiet = (text: string): string => text.replaceAll(SPOKEN, '$&\u200b');

const SPOKEN = new RegExp(
  [
    // Mentions, and issues by number; GitHub knows GH-1 too.
    String.raw`@(?=\w)|#(?=\d)|\bGH-(?=\d)`,
    // Words that close the issue whose address follows.
    String.raw`\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)(?=:?\s+https?:)`,
    // Orders to CI: [skip ci], [no ci], [ci skip].
    String.raw`\[(?=(?:(?:skip|no)[ -](?:ci|actions)|(?:ci|actions)[ -]skip)\])`,
    // GitLab's quick actions: /merge, /assign.
    String.raw`(?<=^\s*)\/(?=[a-z_]+(?:\s|$))`,
  ].join('|'),
  'gimu',
);
