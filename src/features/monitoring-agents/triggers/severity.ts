import type { Severity } from '../contract.ts';

const MEANINGS: [RegExp, Severity][] = [
  [
    /^(critical|crit|fatal|emergency|emerg|page|error|err|high|highest|urgent|severe|disaster|major|(p|sev|s)-?[012])$/,
    'critical',
  ],
  [/^(warning|warn|medium|moderate|minor|average|low|(p|sev|s)-?3)$/, 'warning'],
  [/^(info|information|informational|notice|debug|none|ok|success|lowest|trivial|(p|sev|s)-?[45])$/, 'info'],
];

/**
 * Maps the severities of other tools to Casebook's three. P1 and P2 (also sev1, s1 …) are critical, P3 is a warning.
 * @param words in order of preference; the first known one counts
 * @returns `warning` for unknown words
 */
export function severityOf(...words: (string | undefined)[]): Severity {
  for (const word of words) {
    const plain = word?.trim().toLowerCase() ?? '';
    const known = MEANINGS.find(([pattern]) => pattern.test(plain));
    if (known) return known[1];
  }
  return 'warning';
}
