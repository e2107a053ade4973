import { z } from 'zod';
import type { LogLine } from '../../sources/port.ts';
import { groupLogPatterns, type LogPattern } from '../../diagnosis/index.ts';
import type { SearchLogsResult } from '../results.ts';
import { clip, count } from '../text.ts';
import { toIso, toIsoWindow } from '../time.ts';
import { limitField, serviceField, sourceField, windowFields, defineSourceTool } from './source-tool.ts';
import { windowOfCall } from './window.ts';

/** Lines to request; all of them are grouped by pattern. */
const MAX_LINES = 20_000;
const MAX_PATTERNS = 25;
const MAX_SERVICES = 8;
const PATTERN_CHARACTERS = 200;
const LINE_CHARACTERS = 1_000;
/** Long lines are shown, but fewer of them, so that a default result fits one view. */
const USUAL_LINE_CHARACTERS = 180;
const SEVERITIES = ['error', 'warn'];

/** `search_logs`: what the logs say, grouped by pattern, with a sample of whole lines. */
export const searchLogs = defineSourceTool({
  name: 'search_logs',
  description:
    'Searches log lines in a window. Returns the patterns they follow with counts (variable parts are <*>), most frequent first, and a sample of whole lines: at least one of the most severe patterns first, in time order. Start with level "error" on a suspect, then look for the text of what you found in its neighbours.',
  input: z.strictObject({
    source: sourceField,
    service: serviceField.optional().describe('Only lines of this service. Default: all services.'),
    text: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('A piece of text that the lines contain, in any case; no regular expression.'),
    level: z.enum(['error', 'warn', 'info', 'debug']).optional().describe('Only lines of this level.'),
    ...windowFields,
    limit: limitField(25, 200, 'whole lines'),
  }),
  needs: { capability: 'logs', method: 'searchLogs' },
  summarize: ({ service, text, level, source }) =>
    `Search ${level ? `${level} ` : ''}logs of ${service ?? source}${text ? ` for "${text}"` : ''}`,
  async answer(input, source, context) {
    const { signal } = context;
    const { window } = await windowOfCall(input, source, context);
    const { service, text, level } = input;
    const page = await source.searchLogs({ service, text, level, ...window, limit: MAX_LINES }, { signal });
    const { patterns } = groupLogPatterns(page.lines, { examples: input.limit });
    const lines = sample(patterns, input.limit);
    const result: SearchLogsResult = {
      source: input.source,
      window: toIsoWindow(window),
      matched: page.lines.length,
      truncated:
        page.truncated || patterns.some(isCut) || patterns.length > MAX_PATTERNS || lines.length < page.lines.length,
      patterns: patterns
        .slice(0, MAX_PATTERNS)
        .map(({ pattern, services, first, last, count: lineCount, level: of }) => ({
          pattern: clip(pattern, PATTERN_CHARACTERS),
          count: lineCount,
          services: services.slice(0, MAX_SERVICES),
          level: of,
          first: toIso(first),
          last: toIso(last),
        })),
      lines: lines.map((line) => ({ ...line, at: toIso(line.at), message: clip(line.message, LINE_CHARACTERS) })),
    };
    const most = patterns[0];
    return {
      result,
      digest: most
        ? `${count(page.lines.length, 'line')}${page.truncated ? ' and more' : ''} in ${count(patterns.length, 'pattern')}; most frequent: ${most.pattern}`
        : 'No matching log lines',
    };
  },
});

function isCut({ services }: LogPattern): boolean {
  return services.length > MAX_SERVICES;
}

/** Round robin, one line per pattern, severe patterns first, while there is room; then in time order. */
function sample(patterns: readonly LogPattern[], limit: number): LogLine[] {
  const ordered = patterns.toSorted((a, b) => severity(a) - severity(b));
  const chosen: LogLine[] = [];
  let room = limit * USUAL_LINE_CHARACTERS;
  for (let round = 0; round < limit; round++) {
    const lines = ordered.flatMap(({ examples }) => examples.slice(round, round + 1));
    if (lines.length === 0) break;
    for (const line of lines) {
      if (chosen.length >= limit || (room <= 0 && chosen.length > 0)) break;
      room -= Math.min(line.message.length, LINE_CHARACTERS);
      chosen.push(line);
    }
  }
  return chosen.sort((a, b) => a.at - b.at);
}

function severity({ level }: LogPattern): number {
  const index = SEVERITIES.indexOf(level ?? '');
  return index < 0 ? SEVERITIES.length : index;
}
