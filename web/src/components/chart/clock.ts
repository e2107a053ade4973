/** Times of a chart, in the zone of whoever reads. */

const DAY = 86_400;

/** @param spanSeconds how long the chart is: dates are told when it is longer than a day, seconds when shorter than an hour */
export function clock(spanSeconds: number): (at: Date) => string {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...(spanSeconds > DAY && { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
    ...(spanSeconds < 3_600 && { second: '2-digit' }),
  });
  return (at) => (Number.isNaN(at.getTime()) ? '' : format.format(at));
}
