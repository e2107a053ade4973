import assert from 'node:assert/strict';
import { SaxesParser } from 'saxes';
import { sampleIncident } from '../../support/telemetry-source.ts';
import { ask, Chats, readEvents, type Answer, type Lines } from './support.ts';

interface Drawn extends Answer {
  chart: { $schema: string; data: { values: Record<string, unknown>[] }; usermeta: unknown } | null;
  tool_id: string | null;
  svg_url: string | null;
}

const fetchData = { name: 'query_metric', input: { source: 'shop', service: 'db', metric: 'latency_seconds' } };
const lines: Record<string, Lines> = {
  asked: [{ toolUses: [fetchData] }, { text: 'It is 0.9 s [1].' }],
  drawn: [
    { toolUses: [{ name: 'draw_chart', input: { evidence: 1, title: 'Latency of db' } }] },
    { text: 'It rises at noon.' },
  ],
  fresh: [
    { toolUses: [fetchData] },
    { toolUses: [{ name: 'draw_chart', input: { evidence: 1, title: 'Latency of db' } }] },
    { text: 'It rises [2].' },
  ],
  // The id is what the model is told with the question.
  named: ({ step, request }) => {
    const id = /tool_id ([0-9a-f-]{36})/.exec(JSON.stringify(request.messages))?.[1];
    const input = { tool_id: id, title: 'As named' };
    return step === 0 ? { toolUses: [{ name: 'draw_chart', input }] } : { text: 'Here it is.' };
  },
  invented: [
    { toolUses: [{ name: 'draw_chart', input: { evidence: 7, title: 'Nothing' } }] },
    { text: 'I have no data for it.' },
  ],
  edits: [{ toolUses: [{ name: 'create_file', input: { path: 'a', content: 'b' } }] }, { text: 'Not possible.' }],
};

function assertWellFormed(svg: string): void {
  const parser = new SaxesParser();
  parser.on('error', (error) => assert.fail(error.message));
  parser.write(svg).close();
}

describe('charts in chats', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines, sources: [sampleIncident()] });
  });
  after(() => chats?.stop());

  const viz = async (body: Record<string, unknown>, query = ''): Promise<Drawn> => {
    const { status, body: drawn } = await chats.call('POST', `/api/chat-viz${query}`, body);
    assert.equal(status, 200, JSON.stringify(drawn));
    return drawn;
  };
  const withData = async (): Promise<{ chatId: string; toolId: string; content: string }> => {
    const { chat_id: chatId } = await chats.say(ask('asked'));
    const [call] = (await chats.detail(chatId)).messages[1]!.turn!.tool_calls;
    const { body } = await chats.call('GET', `/api/tool-results/${call!.id}`);
    return { chatId, toolId: call!.id, content: (body as { content: string }).content };
  };

  it('draws a result of the chat: every point is one of the stored result', async () => {
    const { chatId, content } = await withData();
    const drawn = await viz({ chat_id: chatId, prompt: ask('drawn') });
    assert.equal(drawn.chat_id, chatId);
    assert.equal(drawn.response, 'It rises at noon.');
    assert.equal(drawn.usage.api_calls_count, 2);
    assert.match(drawn.chart!.$schema, /vega-lite\/v6/);
    const { values } = drawn.chart!.data;
    assert.ok(values.length > 10, `${values.length} points`);
    const numbers = values.flatMap((value) => Object.values(value).filter((cell) => typeof cell === 'number'));
    assert.ok(numbers.every((number) => content.includes(String(number))));
    // It belongs to the chat, whose later turns know it.
    const detail = await chats.detail(chatId);
    assert.deepEqual(
      detail.messages.at(-1)!.parts.map(({ type }) => type),
      ['tool-draw_chart', 'text', 'data-chart'],
    );
  });

  it('draws a result that is named by its id, in a chat of its own, also one of an investigation', async () => {
    const { toolId } = await withData();
    const drawn = await viz({ tool_id: toolId, prompt: ask('named') });
    assert.ok(drawn.chart);
    assert.match(JSON.stringify(drawn.chart.usermeta), new RegExp(toolId));
  });

  it('answers with the picture where asked, and later', async () => {
    const first = await chats.fetch('POST', '/api/chat-viz?format=svg', { prompt: ask('fresh') });
    assert.equal(first.status, 200);
    assert.match(first.headers.get('content-type') ?? '', /^image\/svg\+xml/);
    const svg = await first.text();
    assertWellFormed(svg);
    assert.match(svg, /Latency of db/);

    const { tool_id: id, svg_url: url } = await viz({ prompt: ask('fresh'), format: 'json' });
    assert.equal(await (await chats.fetch('GET', url!)).text(), svg);
    const spec = (await chats.call('GET', `/api/charts/${id}`)).body as { $schema: string };
    assert.match(spec.$schema, /vega-lite/);
    const dark = await (await chats.fetch('GET', `${url}&ground=dark`)).text();
    assertWellFormed(dark);
    assert.match(dark, /Latency of db/);
    assert.doesNotMatch(dark, /white/);
    assert.equal((await chats.call('GET', `${url}&ground=blue`)).status, 422);
  });

  it('streams like a chat, with the chart as a part', async () => {
    const streamed = await readEvents(await chats.fetch('POST', '/api/chat-viz?stream=true', { prompt: ask('fresh') }));
    assert.equal(streamed.text, 'It rises [2].');
    const part = streamed.chunks.find(({ type }) => type === 'data-chart') as unknown as { data: { spec: object } };
    assert.ok('data' in part.data.spec);
    assert.equal(streamed.chunks.at(-1)?.type, 'finish');
    // In the body as well, since the body of this endpoint is ours.
    const inBody = await readEvents(await chats.fetch('POST', '/api/chat-viz', { prompt: ask('fresh'), stream: true }));
    assert.equal(inBody.text, 'It rises [2].');
  });

  it('says so when there is nothing to draw, and shows no picture', async () => {
    const { chatId } = await withData();
    const drawn = await viz({ chat_id: chatId, prompt: ask('invented') });
    assert.equal(drawn.chart, null);
    assert.equal(drawn.response, 'I have no data for it.');
    const picture = await chats.call('POST', '/api/chat-viz', {
      chat_id: chatId,
      prompt: ask('invented'),
      format: 'svg',
    });
    assert.equal(picture.status, 422);
    assert.match(JSON.stringify(picture.body), /I have no data for it/);
  });

  it('knows no other tools than reading and drawing', async () => {
    await viz({ prompt: ask('edits') });
    const [request] = chats.requests('edits');
    const names = request!.body.tools!.map(({ name }) => name);
    assert.ok(names.includes('draw_chart') && names.includes('query_metric'));
    assert.ok(!names.includes('create_file') && !names.includes('start_investigation'));
  });

  it('refuses what it cannot draw: nothing asked, unknown results and charts, results that are no chart', async () => {
    const turns = await chats.countTurns();
    assert.equal((await chats.call('POST', '/api/chat-viz', {})).status, 422);
    assert.equal((await chats.call('POST', '/api/chat-viz', { tool_id: 'x' })).status, 422);
    assert.equal((await chats.call('POST', '/api/chat-viz', { tool_id: crypto.randomUUID() })).status, 404);
    assert.equal((await chats.call('POST', '/api/chat-viz', { prompt: 'x', chat_id: 'none' })).status, 404);
    assert.equal((await chats.call('POST', '/api/chat-viz?format=png', { prompt: 'x' })).status, 422);
    assert.equal((await chats.call('GET', `/api/charts/${crypto.randomUUID()}`)).status, 404);
    assert.equal(await chats.countTurns(), turns);
    const { toolId } = await withData();
    assert.equal((await chats.call('GET', `/api/charts/${toolId}`)).status, 404);
  });
});
