/** When checks run. Pure: no clock of its own. */
export { describeDuration, describeSchedule } from './describe.ts';
export { dueTimes, scheduleChecks } from './due.ts';
export { scheduleProblems } from './reach.ts';
export { countTimes, nextTime, nextTimes } from './times.ts';
