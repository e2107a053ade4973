/** The form of a check, as data: what the API takes, in the order people think about it. */
import type { Choice, Field, FieldGroup, ValueField } from './field-types.ts';
import { CHECK_KINDS } from './kinds.ts';

const MINUTE = 60;
const DAY = 86_400;

const WHAT: readonly Field[] = [
  {
    kind: 'text',
    path: 'title',
    label: 'Title',
    hint: 'Shown in findings and notifications.',
    standard: '',
  },
  {
    kind: 'text',
    path: 'id',
    label: 'ID',
    hint: 'Permanent. Only a-z, 0-9, "-" and "_".',
    standard: '',
  },
  {
    kind: 'switch',
    path: 'enabled',
    label: 'Enabled',
    hint: 'When off, the check stays in the plan but does not run.',
    standard: true,
  },
];

const SUBJECT: Choice = { kind: 'choice', path: 'check.type', label: 'Type', variants: CHECK_KINDS };

const RHYTHM: Choice = {
  kind: 'choice',
  label: 'Schedule',
  variants: [
    {
      value: 'schedule.every_seconds',
      title: 'Interval',
      fields: [
        {
          kind: 'duration',
          path: 'schedule.every_seconds',
          label: 'Every',
          standard: 5 * MINUTE,
          least: 5,
          most: 7 * DAY,
        },
      ],
    },
    {
      value: 'schedule.cron',
      title: 'Cron',
      fields: [
        {
          kind: 'text',
          path: 'schedule.cron',
          label: 'Cron expression',
          hint: 'Minute, hour, day of month, month, weekday: "0 9 * * 1-5" is at 09:00 on weekdays.',
          standard: '0 9 * * 1-5',
        },
      ],
    },
  ],
};

const WHEN: readonly Field[] = [
  RHYTHM,
  {
    kind: 'text',
    path: 'schedule.time_zone',
    label: 'Time zone',
    hint: 'For the cron expression and quiet hours, for example Europe/Berlin.',
    suggest: 'time_zone',
    standard: 'UTC',
  },
  {
    kind: 'quiet_hours',
    path: 'schedule.quiet_hours',
    label: 'Quiet hours',
    hint: 'The check does not run during quiet hours. A range that ends before it starts ends on the next day.',
    standard: [],
    wide: true,
  },
];

const runs = (path: string, label: string, standard: number, hint: string): ValueField => ({
  kind: 'number',
  path,
  label,
  hint,
  standard,
  least: 1,
  most: 20,
  whole: true,
});

const THEN: readonly Field[] = [
  {
    kind: 'select',
    path: 'severity',
    label: 'Severity',
    standard: 'warning',
    options: [
      { value: 'info', title: 'Info' },
      { value: 'warning', title: 'Warning' },
      { value: 'critical', title: 'Critical' },
    ],
  },
  {
    kind: 'choices',
    path: 'on_finding',
    label: 'Response',
    standard: ['notify', 'investigate'],
    options: [
      { value: 'notify', title: 'Notify the channel' },
      { value: 'investigate', title: 'Start an investigation' },
    ],
  },
  runs('confirmations', 'Confirmations', 1, 'Consecutive failing runs before a finding opens.'),
  runs('recoveries', 'Recoveries', 2, 'Consecutive OK runs before a finding is resolved.'),
  {
    kind: 'duration',
    path: 'cool_down_seconds',
    label: 'Cool-down',
    hint: 'A recurrence within this time is the same finding.',
    standard: 15 * MINUTE,
    least: 0,
    most: 7 * DAY,
  },
  {
    kind: 'text',
    path: 'dedup_key',
    label: 'Deduplication key',
    hint: 'Findings with the same key are merged; {check} and {subject} are filled in.',
    standard: '{check}/{subject}',
  },
  {
    kind: 'switch',
    path: 'judge',
    label: 'Model review',
    hint: 'A model reviews a finding before anyone is notified.',
    standard: false,
  },
];

/** All fields of a check. */
export const CHECK_FORM: readonly FieldGroup[] = [
  { title: 'General', fields: WHAT },
  { title: 'What to check', fields: [SUBJECT] },
  { title: 'When', fields: WHEN },
  { title: 'On a finding', fields: THEN },
];
