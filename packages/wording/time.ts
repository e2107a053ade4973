const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAY = 24 * 60 * 60_000;

/**
 * `14:10:22 UTC`
 * @param beside a time of the same text: the date is added if it is another day's
 * @returns the text itself, if it is no time
 */
export function clockTime(iso: string, beside?: string): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  const clock = new Date(at).toISOString().slice(11, 19);
  const other = Date.parse(beside ?? iso);
  if (Math.floor(at / DAY) === Math.floor(other / DAY) || Number.isNaN(other)) return `${clock} UTC`;
  const date = new Date(at);
  return `${clock} UTC on ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/**
 * When something began, as far as its samples tell: `at 14:10:22 UTC`, or `between 14:10:00 and 14:11:00 UTC` where the
 * samples are coarser than a few seconds.
 * @param errorSeconds it may have begun this long before
 */
export function onsetPhrase(iso: string, errorSeconds = 0): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at) || !(errorSeconds >= MIN_ERROR_SECONDS)) return `at ${clockTime(iso)}`;
  const earliest = new Date(at - errorSeconds * 1_000).toISOString();
  return `between ${clockTime(earliest, iso).replace(/ UTC$/, '')} and ${clockTime(iso)}`;
}

/** Clocks of different systems differ by about as much. */
const MIN_ERROR_SECONDS = 5;
