/** Chart times in the reader's time zone. */

const DAY = 86_400;

/** The name of the zone at a time. @example zoneOf(new Date()) // 'GMT+1' */
export const zoneOf = (at: Date): string =>
  new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value ?? '';

/** @param spanSeconds length of the chart: beyond a day dates are shown, below an hour seconds */
export function clock(spanSeconds: number): (at: Date) => string {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...(spanSeconds > DAY && { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
    ...(spanSeconds < 3_600 && { second: '2-digit' }),
  });
  return (at) => (Number.isNaN(at.getTime()) ? '' : format.format(at));
}
