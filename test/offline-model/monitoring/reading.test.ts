import assert from 'node:assert/strict';
import { takePolicy } from '../../../packages/offline-model/playbooks/monitoring/reading/policies.ts';
import { periodOf, takeSchedule } from '../../../packages/offline-model/playbooks/monitoring/reading/schedules.ts';
import { servicesIn } from '../../../packages/offline-model/playbooks/monitoring/reading/services.ts';
import { takeLimit, takeNewLimit } from '../../../packages/offline-model/playbooks/monitoring/reading/thresholds.ts';
import { inUnit, unitOfMetric } from '../../../packages/offline-model/playbooks/monitoring/reading/units.ts';
import { readRequest } from '../../../packages/offline-model/playbooks/monitoring/request.ts';
import { SERVICES } from './shop.ts';

const WEEKEND = { days: ['sat', 'sun'], from: '00:00', to: '00:00' };

const SCHEDULES: Record<string, unknown> = {
  'every 5 minutes': 300,
  'every 30s': 30,
  hourly: 3_600,
  daily: 86_400,
  'every minute': 60,
  'every other hour': 7_200,
  'every half hour': 1_800,
  'every 1,5 hours': 5_400,
  'twice a day': 43_200,
  'at 10 second intervals': 10,
  'every 2 seconds': 5,
  'every 3 weeks': 604_800,
  'cron 0 9 * * 1-5': '0 9 * * 1-5',
  '`*/10 9-17 * * mon-fri`': '*/10 9-17 * * mon-fri',
  'every weekday at 9:00': '0 9 * * 1-5',
  'on mondays and fridays at 8am': '0 8 * * 1,5',
  'Mon-Fri at 7': '0 7 * * 1-5',
  'every day at 9 and 17': '0 9,17 * * *',
  'at 9:30 every day': '30 9 * * *',
  'every evening at 8': '0 20 * * *',
  'each morning': '0 9 * * *',
  'on the 1st of every month at 6': '0 6 1 * *',
  'for 10 minutes': undefined,
};

const QUIET: Record<string, unknown[]> = {
  'not between 22:00 and 6:00': [{ from: '22:00', to: '06:00' }],
  'except from 10pm to 6am on weekdays': [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '22:00', to: '06:00' }],
  'quiet hours 22:00-06:00': [{ from: '22:00', to: '06:00' }],
  'not at night': [{ from: '22:00', to: '06:00' }],
  'not on weekends': [WEEKEND],
  'every 5 minutes on weekdays': [WEEKEND],
  'every 5 minutes between 9:00 and 17:00': [{ from: '17:00', to: '09:00' }],
  'every 5 minutes during business hours': [{ from: '18:00', to: '09:00' }, WEEKEND],
};

const LIMITS: Record<string, unknown> = {
  'goes above 5% for 10 minutes': { threshold: { operator: '>', value: 5, unit: '%' }, sustained: 600 },
  'over 800 ms': { threshold: { operator: '>', value: 800, unit: 'ms' } },
  'drops below 10 req/s': { threshold: { operator: '<', value: 10, unit: 'req/s' } },
  '500 ms or more': { threshold: { operator: '>=', value: 500, unit: 'ms' } },
  'more than 20 errors within 10 minutes': { threshold: { operator: '>', value: 20 }, within: 600 },
  'must stay below 100': { threshold: { operator: '>=', value: 100 } },
  'exceeds 3k requests per minute': { threshold: { operator: '>', value: 3_000, unit: 'requests per minute' } },
  'is 5% higher than usual': { relative: true },
  doubles: { relative: true },
  'is fine': {},
};

describe('offline model: reading what is to be watched', () => {
  for (const [said, expected] of Object.entries(SCHEDULES)) {
    it(`when: ${said}`, () => {
      const { when } = takeSchedule({ text: said });
      assert.equal(when && ('cron' in when ? when.cron : when.every_seconds), expected);
    });
  }

  for (const [said, expected] of Object.entries(QUIET)) {
    it(`quiet: ${said}`, () => assert.deepEqual(takeSchedule({ text: said }).quiet_hours, expected));
  }

  for (const [said, expected] of Object.entries(LIMITS)) {
    it(`limit: ${said}`, () => assert.deepEqual(takeLimit({ text: said }), expected));
  }

  it('reads time zones by name and by city, and takes no other word for one', () => {
    assert.equal(takeSchedule({ text: 'at 9:00 every day Europe/Berlin' }).time_zone, 'Europe/Berlin');
    assert.equal(takeSchedule({ text: 'every day at 9:00 New York time' }).time_zone, 'America/New_York');
    assert.equal(takeSchedule({ text: 'every day at 9:00 Europe/Nowhere' }).time_zone, undefined);
    assert.equal(takeSchedule({ text: 'the Checkout time of Web/Shop' }).time_zone, undefined);
  });

  it('says what it does not take as it was said', () => {
    assert.match(takeSchedule({ text: 'every second' }).notes.join(), /shortest interval is 5 seconds/);
    assert.match(takeSchedule({ text: 'each morning' }).notes.join(), /09:00/);
  });

  it('knows about how often a cron expression runs', () => {
    const periods = ['* * * * *', '*/10 * * * *', '0 * * * *', '0 9 * * 1-5'].map((cron) => periodOf({ cron }));
    assert.deepEqual(periods, [60, 600, 3_600, 86_400]);
  });

  it('reads how grave it is and what then', () => {
    const read = (text: string) => takePolicy({ text });
    assert.deepEqual(read('make it critical'), { severity: 'critical' });
    assert.deepEqual(read('look for x, info'), { severity: 'info' });
    assert.deepEqual(read('watch the critical path'), {});
    assert.deepEqual(read('the latency is high'), {});
    assert.deepEqual(read("don't investigate"), { on_finding: ['notify'] });
    assert.deepEqual(read('just investigate'), { on_finding: ['investigate'] });
    assert.deepEqual(read('notify me and open an investigation'), { on_finding: ['notify', 'investigate'] });
    assert.deepEqual(read('only if it fails three times in a row'), { confirmations: 3 });
    assert.deepEqual(read('with a cool-down of 30 minutes'), { cool_down_seconds: 1_800 });
  });

  it('reads the new value of a limit', () => {
    assert.deepEqual(takeNewLimit({ text: 'raise the threshold to 800 ms' }).threshold, { value: 800, unit: 'ms' });
    assert.deepEqual(takeNewLimit({ text: 'raise it from 500 ms to 800 ms' }).threshold, { value: 800, unit: 'ms' });
    assert.deepEqual(takeNewLimit({ text: 'set it to below 3 %' }).threshold, { operator: '<', value: 3, unit: '%' });
  });

  it('puts figures into the unit of the metric', () => {
    assert.equal(inUnit(800, 'ms', 's')?.value, 0.8);
    assert.equal(inUnit(0.8, 's', 'ms')?.value, 800);
    assert.equal(inUnit(5, '%', 'ratio')?.value, 0.05);
    assert.equal(inUnit(5, '%', '%')?.value, 5);
    assert.equal(inUnit(512, 'MiB', 'B')?.value, 536_870_912);
    assert.equal(inUnit(1.5, 'GB', 'MiB')?.value, 1_430.51147461);
    assert.equal(inUnit(600, 'rpm', '1/s')?.value, 10);
    assert.equal(inUnit(5, 'ms', 'B'), undefined);
    assert.deepEqual(inUnit(5, undefined, 'ratio'), { value: 0.05, note: 'I take 5 to mean 5 %.' });
    assert.deepEqual(inUnit(500, undefined, 's'), { value: 0.5, note: 'I take 500 to mean 500 ms.' });
    assert.equal(inUnit(0.3, undefined, 's')?.value, 0.3);
    assert.equal(unitOfMetric('http_request_duration_seconds', undefined), 's');
    assert.equal(unitOfMetric('latency_ms', undefined), 'ms');
    assert.equal(unitOfMetric('seconds', 'min'), 'min');
  });

  it('finds services by name, by plural, by what they are, and nearly', () => {
    const services = SERVICES.map((name) => ({ name, metrics: 0 }));
    const names = (text: string) => servicesIn(text, services).names;
    assert.deepEqual(names('checkout and payments'), ['checkout', 'payment']);
    assert.deepEqual(names("payment's latency"), ['payment']);
    assert.deepEqual(names('chekcout, gatway'), ['checkout', 'gateway']);
    assert.deepEqual(names('the database'), ['postgres-catalog']);
    assert.deepEqual(names('the carton'), []);
    assert.deepEqual(servicesIn('latency of billing', services).unknown, ['billing']);
  });

  it('tells what is wanted by the words alone', () => {
    const services = SERVICES.map((name) => ({ name, metrics: 0 }));
    const kind = (text: string, hasChecks = true) => readRequest(text, services, hasChecks).kind;
    const expected: [string, string[]][] = [
      [
        'plan',
        [
          'what are you watching?',
          'show me the plan',
          'which checks do you have?',
          'how often do you check?',
          'are you paused?',
        ],
      ],
      [
        'findings',
        ['did you find anything?', 'anything wrong?', 'is everything ok?', 'what have you found?', 'any new findings?'],
      ],
      ['sessions', ['how did the last runs go?', 'show the history', 'when did you last check?', 'did it run?']],
      ['pause', ['pause', 'please stop watching', 'stop everything', 'pause for now']],
      ['resume', ['resume', 'go on', 'continue watching please', 'start again']],
      ['run', ['run it now', 'check now', 'run the log check now']],
      ['test', ['test it', 'test the log check', 'try it out']],
      ['remove', ['stop watching payments', 'remove the log check', 'forget about cart', "don't watch web any more"]],
      ['toggle', ['disable the log check', 'turn on the log check']],
      [
        'change',
        [
          'check every minute instead',
          'make it critical',
          'only notify',
          'raise the threshold to 800 ms',
          'be less sensitive',
        ],
      ],
      [
        'watch',
        [
          'also watch web',
          'watch the whole shop',
          'tell me if the latency of web is unusual',
          'add a check for the cpu of cart',
        ],
      ],
      [
        'question',
        [
          'why is checkout slow?',
          'list the services',
          'what is the latency of web?',
          'show me the logs of cart',
          'investigate the checkout errors',
        ],
      ],
      ['channel', ['where do you report?', 'send it to slack']],
      ['introduction', ['hi', 'help', 'what can you do?']],
      ['unclear', ['blah', 'the weather is nice']],
    ];
    for (const [wanted, texts] of expected) for (const text of texts) assert.equal(kind(text), wanted, text);
    assert.equal(kind('checkout every minute', false), 'watch');
  });
});
