/** How the checks of a plan run, as far as plain words say it. */
import { DURATION, durationOf } from '../reading.ts';

/** Members of a check beside its subject. */
export interface Settings {
  schedule: Record<string, unknown>;
  /** Seconds between two runs, as far as that is known. */
  period: number;
  /** Seconds that are looked at, and that they are compared with. */
  window?: number;
  history?: number;
  members: Record<string, unknown>;
}

const USUAL_PERIOD = 300;
const LEAST_PERIOD = 5;
const DAY = 86_400;
const DAYS: [RegExp, string][] = [
  [/\b(?:week ?days?|workdays?|business days?)\b/iu, '1-5'],
  ...['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'].map(
    (day, index): [RegExp, string] => [new RegExp(String.raw`\b(?:every|each|on)\s+${day}s?\b`, 'iu'), String(index)],
  ),
  [/\b(?:daily|every (?:day|morning|evening|night)|each day|once a day)\b/iu, '*'],
];
const CLOCK = String.raw`(\d{1,2})(?:[:.](\d{2}))?\s*([ap]m)?`;
const AT = new RegExp(String.raw`\bat\s+${CLOCK}`, 'iu');
const QUIET = new RegExp(
  String.raw`\b(?:not|except)\s+(?:between|from)\s+${CLOCK}\s+(?:and|to|until)\s+${CLOCK}`,
  'iu',
);
const ZONE = /\b(?:UTC|[A-Z][a-z]+\/[A-Z][A-Za-z_]+)\b/u;
const EVERY = new RegExp(String.raw`\b(?:every|each)\s+(${DURATION}|second|minute|hour|half(?: an)? hour)`, 'iu');
const WINDOW = new RegExp(String.raw`\blast\s+(${DURATION})`, 'iu');
const HISTORY = new RegExp(String.raw`\b(?:with|against|than|in) the\s+(${DURATION})\s+before\b`, 'iu');
const COOL_DOWN = new RegExp(String.raw`\bcool[- ]?down\s+(?:of\s+)?(${DURATION})`, 'iu');
const IN_A_ROW = /\b(?:(twice)|(\d+|two|three|five)\s+times)\s+(?:in a row|running|in succession)\b/iu;
const COUNTS: Record<string, number> = { two: 2, three: 3, five: 5 };

export function settingsIn(text: string): Settings {
  const { schedule, period } = scheduleIn(text);
  const [, twice, times = ''] = IN_A_ROW.exec(text) ?? [];
  const confirmations = twice ? 2 : (COUNTS[times.toLowerCase()] ?? Number(times));
  const severity = /\b(critical|warning|info)\b/iu.exec(text)?.[1]?.toLowerCase();
  const coolDown = durationOf(COOL_DOWN.exec(text)?.[1]);
  const window = durationOf(WINDOW.exec(text)?.[1]);
  const history = durationOf(HISTORY.exec(text)?.[1]);
  const onlyNotify = /\b(?:only|just) (?:notify|tell|alert)\b|\b(?:do not|don['’]t|without) investigat/iu.test(text);
  const onlyInvestigate = /\b(?:only|just) investigate\b|\b(?:do not|don['’]t) notify\b/iu.test(text);
  return {
    schedule,
    period,
    ...(window !== undefined && { window }),
    ...(history !== undefined && { history }),
    members: {
      ...(confirmations >= 1 && confirmations <= 20 && { confirmations }),
      ...(severity !== undefined && { severity }),
      ...(coolDown !== undefined && { cool_down_seconds: coolDown }),
      ...(/\b(?:one|a single) finding\b/iu.test(text) && { dedup_key: '{check}' }),
      ...(onlyNotify && { on_finding: ['notify'] }),
      ...(onlyInvestigate && { on_finding: ['investigate'] }),
    },
  };
}

function scheduleIn(text: string): { schedule: Record<string, unknown>; period: number } {
  const [, from, fromMinute, fromHalf, to, toMinute, toHalf] = QUIET.exec(text) ?? [];
  const quiet =
    from === undefined || to === undefined
      ? []
      : [{ from: clock(from, fromMinute, fromHalf), to: clock(to, toMinute, toHalf) }];
  const rest = text.replace(QUIET, ' ');
  const zone = ZONE.exec(text)?.[0];
  const more = { ...(quiet.length > 0 && { quiet_hours: quiet }), ...(zone !== undefined && { time_zone: zone }) };
  const day = DAYS.find(([said]) => said.test(rest))?.[1];
  const [, hour, minute, half] = AT.exec(rest) ?? [];
  if (day !== undefined || (hour !== undefined && /\bevery|each|daily\b/iu.test(rest))) {
    const [hours, minutes] = clock(hour ?? '9', minute, half)
      .split(':')
      .map(Number);
    return { schedule: { cron: `${minutes} ${hours} * * ${day ?? '*'}`, ...more }, period: DAY };
  }
  const said = EVERY.exec(rest)?.[1] ?? (/\bhourly\b/iu.test(rest) ? 'hour' : undefined);
  const seconds = durationOf(said) ?? durationOf(`1 ${said ?? ''}`) ?? USUAL_PERIOD;
  const period = Math.min(7 * DAY, Math.max(LEAST_PERIOD, seconds));
  return { schedule: { every_seconds: period, ...more }, period };
}

function clock(hour: string, minute = '00', half = ''): string {
  const hours = half === '' ? Number(hour) % 24 : (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  return `${String(hours).padStart(2, '0')}:${minute}`;
}
