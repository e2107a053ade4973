import assert from 'node:assert/strict';
import { readInstruction } from '../../../packages/offline-model/playbooks/conversation/editing/instructions.ts';
import { readIntent, type IntentContext } from '../../../packages/offline-model/playbooks/conversation/intent.ts';
import { directionIn } from '../../../packages/offline-model/playbooks/conversation/lookups/dependencies.ts';

const FRESH: IntentContext = { answeredCause: false, aboutInvestigation: false };
const ANSWERED: IntentContext = { answeredCause: true, aboutInvestigation: false };
const UUID = '7b0e1c52-6d0c-4d5b-9c1f-3a9f0f3f6c11';

/** An intent in a few words. */
function read(text: string, context = FRESH): string {
  const intent = readIntent(text, context);
  const details = Object.entries(intent).flatMap(([key, value]) =>
    key === 'kind' || value === undefined
      ? []
      : [typeof value === 'object' && !Array.isArray(value) ? value.what : String(value)],
  );
  return [intent.kind, ...details].join(' ');
}

const WITHOUT_HISTORY: Record<string, string[]> = {
  introduction: ['hi', 'Hello!', 'hey there', 'help', 'who are you?', 'What can you do for me?', 'Good morning', ''],
  thanks: ['thanks', 'ok thanks!', 'great, that helps', 'Thank you very much.'],
  problem: [
    'Why is checkout failing?',
    'What is wrong with payments?',
    'what happened around 10:40?',
    'checkout errors since the deploy',
    'checkout is down',
    'Find the root cause of the slow product pages',
    'why are there so many errors in the logs of payment?',
    'Is payment ok?',
    'how is checkout doing?',
    'latency of checkout is way too high since 16:40',
    'What caused CheckoutSlow in incident:orders-slow?',
    'great, but why is it slow?',
  ],
  unclear: ['tell me a joke', 'What is the weather?', 'checkout', 'what about payment?', 'go on'],
  'lookup logs': [
    'and what about the logs of payments?',
    'show me its logs',
    'search the logs for "timeout"',
    'error messages of inventory',
  ],
  'lookup changes': [
    'show me the changes',
    'what changed?',
    'who deployed something?',
    'any recent deploys?',
    'recent changes',
    'Did anybody release something before 16:36?',
  ],
  'lookup dependencies': [
    'which services depend on it?',
    'what does checkout call?',
    'blast radius of redis-cart',
    'which services are affected?',
    'show the dependency graph of web',
  ],
  'lookup metric': [
    'what is the p95 latency of orders?',
    'how high is the cpu of fraud?',
    'and the error rate of checkout?',
    'show me the memory of web',
  ],
  'lookup logs,changes': ['show me logs and changes of payment'],
  'overview services': [
    'list the services',
    'list the services of orders-slow',
    'which services are there?',
    'what services do you know?',
  ],
  'overview alerts': [
    'which alerts are firing?',
    'any problems right now?',
    "what's going on?",
    'is anything broken?',
    'list the alerts',
  ],
  'overview sources': ['which sources do you have?', 'list the incidents', 'what telemetry is there?'],
  'overview metrics': ['which metrics does inventory have?'],
  'start investigation': [
    'investigate the checkout errors',
    'Please start an investigation of the slow storefront',
    'can you investigate why orders are slow?',
    'I want you to investigate this',
  ],
  'list investigations': ['list the investigations', 'which investigations are there?'],
  'read investigation': [
    'summarise the last investigation',
    'what did the investigation find?',
    'Show me the latest report',
  ],
  [`read investigation ${UUID}`]: [`what did investigation ${UUID} find?`],
  'chart ': ['draw a chart of that', 'chart [4]'],
  'chart metric': ['plot the latency of checkout', 'Can you visualise the errors?'],
  'chart changes': ['draw the deploys'],
  'edit create': ['create notes.md with the content: hello', 'notes/a.txt:\n```\nx\n```'],
  'edit replace': ['replace "a" with "b" in notes.md', 'In src/a.ts, change timeout: 250 to timeout: 4000'],
  'edit append': ['append "- done" to notes.md', 'append to notes.md:\n- one'],
  'edit delete': ['delete notes.md', 'please remove the file a/b'],
  'edit show': ['show notes.md'],
  'edit list': ['list the files'],
  'edit runbook': ['write a runbook for checkout', 'Create a run-book for the payment service'],
};

const AFTER_A_CAUSE: Record<string, string[]> = {
  'about answer next step': ['what should we do?', 'how do I fix this?', 'next steps?', 'should we roll back?'],
  'about answer confidence': ['how sure are you?', 'are you certain?'],
  'about answer ruled out': ['what did you rule out?', 'what else could it be?', 'any other suspects?'],
  'about answer timeline': ['when did it start?', 'show me the timeline'],
  'about answer why': ['why?', 'why do you think so?', 'how do you know?', 'what is your evidence?'],
  'about answer service': [
    'what about payment?',
    'is it the database?',
    'could it be fraud?',
    'why not checkout?',
    'Is payment to blame?',
  ],
  'about answer evidence 5': ['what does [5] say?', 'show evidence 5'],
  'lookup logs': ['what about the logs of payment?'],
  problem: ['why is cart slow?'],
};

describe('offline model: intents', () => {
  for (const [intent, texts] of Object.entries(WITHOUT_HISTORY)) {
    it(intent, () => {
      for (const text of texts) assert.equal(read(text), intent, text);
    });
  }

  for (const [intent, texts] of Object.entries(AFTER_A_CAUSE)) {
    it(`${intent}, after an answer that names a cause`, () => {
      for (const text of texts) assert.equal(read(text, ANSWERED), intent, text);
    });
  }

  it('asks after an investigation that the chat is about', () => {
    const context = { answeredCause: false, aboutInvestigation: true };
    assert.equal(read('what did it find?', context), 'read investigation');
    assert.equal(read('is it done?', context), 'read investigation');
  });

  it('tells what depends on a service from what it depends on', () => {
    const directions = {
      upstream: [
        'which services depend on it?',
        'who calls payment?',
        'what uses redis-cart?',
        'callers of web',
        'what relies on inventory?',
      ],
      downstream: [
        'what does checkout depend on?',
        'which services does checkout call?',
        'dependencies of web',
        'what is downstream of cart?',
        'show the call graph of web',
      ],
      impact: ['blast radius of redis-cart', 'what is affected when cart fails?', 'impact of fraud'],
    };
    for (const [direction, texts] of Object.entries(directions)) {
      for (const text of texts) assert.equal(directionIn(text), direction, text);
    }
  });

  it('takes instructions about files word for word', () => {
    assert.deepEqual(readInstruction('Please create the file `docs/a.md` containing:\n```md\n# A\n\ntext\n```'), {
      what: 'create',
      path: 'docs/a.md',
      content: '# A\n\ntext\n',
    });
    assert.deepEqual(readInstruction('replace foo by bar baz in the file src/a.ts.'), {
      what: 'replace',
      path: 'src/a.ts',
      old: 'foo',
      with: 'bar baz',
    });
    assert.deepEqual(readInstruction('replace "a with b" with "" in x.md'), {
      what: 'replace',
      path: 'x.md',
      old: 'a with b',
      with: '',
    });
    assert.deepEqual(readInstruction('add a line saying "hi" to notes.md'), {
      what: 'append',
      path: 'notes.md',
      content: 'hi',
    });
    assert.deepEqual(readInstruction('create notes.md'), { what: 'create', path: 'notes.md', content: undefined });
    for (const text of [
      'remove checkout',
      'what changed in checkout 9.5.0?',
      'add error handling',
      'change the config of payment in production',
      'make the readme nicer',
    ]) {
      assert.equal(readInstruction(text), undefined, text);
    }
  });

  it('is quick with very long texts', () => {
    for (const piece of [
      'what is the ',
      'replace a with b in ',
      'append x to ',
      'investigation of the report ',
      'which services ',
    ]) {
      const began = process.cpuUsage().user;
      readIntent(piece.repeat(Math.ceil(100_000 / piece.length)), ANSWERED);
      assert.ok(process.cpuUsage().user - began < 2_000_000, piece);
    }
  });
});
