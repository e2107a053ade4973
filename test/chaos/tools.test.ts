/** Tools and sources that return too much, garbage or nothing, fail, or never answer: the run goes on and says so. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseFramedToolResult } from '../../src/features/tools/index.ts';
import { defineTool, type Tool, type ToolOutput } from '../../src/features/tools/tool.ts';
import { startHarness, type Harness } from '../support/harness.ts';
import type { ScriptedStep } from '../support/scripted-model/index.ts';
import { reportInput, submitReport } from '../support/scripts.ts';
import { memorySource } from '../support/telemetry-source.ts';
import { byCase, lastMessage, runCase, startWithin, type CaseRun, type Detail } from './support/by-case.ts';

const NEEDLE = 'the needle at the end';
const TEN_MEGABYTES = `${'a line of a very long log\n'.repeat(419_430)}${NEEDLE}`;
const BINARY = Uint8Array.from({ length: 4_096 }, (_, index) => index % 256);

const tool = (name: string, run: () => Promise<ToolOutput>, timeoutSeconds?: number): Tool<Record<string, never>> =>
  defineTool({
    name,
    description: 'A tool of a test.',
    input: z.strictObject({}),
    timeoutSeconds,
    summarize: () => name,
    run,
  });
const returning = (name: string, content: string | Uint8Array) => tool(name, async () => ({ content, digest: name }));

const hangingSource = memorySource({ id: 'hanging', promql: () => [] });
hangingSource.promql = () => new Promise(() => undefined);

const call = (name: string, input: Record<string, unknown> = {}): ScriptedStep => ({ toolUses: [{ name, input }] });
const submit = (excerpt: string): ScriptedStep => ({
  toolUses: [
    { name: 'submit_report', input: reportInput({ citations: [{ n: 1, evidence: 1, excerpts: [excerpt] }] }) },
  ],
});

describe('tools that misbehave', () => {
  let harness: Harness;
  /** Runs that wait for a source as long as a tool may take, which is long enough for those that answer. */
  const waiting = new Map<string, CaseRun>();

  before(async () => {
    harness = await startHarness({
      sources: [hangingSource],
      tools: [
        returning('huge', TEN_MEGABYTES),
        returning('binary', BINARY),
        returning('nothing', ''),
        tool('hanging', () => new Promise(() => undefined), 1),
        tool('failing', () => Promise.reject(new Error('a defect of the tool'))),
      ],
      budget: { toolTimeoutSeconds: 60 },
      script: byCase({
        huge: [call('huge'), call('read_tool_result', { evidence: 1, search: NEEDLE }), submit(NEEDLE)],
        binary: [call('binary'), submit('(binary, 4096 bytes')],
        nothing: [call('nothing'), submit('(the tool returned nothing)')],
        hanging: [call('hanging'), submit('No answer within 1 s')],
        source: [call('promql', { source: 'hanging', expr: 'up' }), submit('No answer within 8 s')],
        gone: [
          { toolUses: [{ name: 'promql', input: { source: 'hanging', expr: 'up' } }] },
          { text: 'I give up.' },
          { text: 'I give up.' },
          { text: 'I give up.' },
          { text: 'I give up.' },
          { text: 'I give up.' },
        ],
        failing: [call('failing'), submit('a defect of the tool')],
        beside: [
          { toolUses: ['hanging', 'failing', 'nothing', 'huge'].map((name) => ({ name })) },
          submit('No answer within 1 s'),
        ],
        sources: [call('list_sources'), submitReport],
      }),
    });
    // Both at once, and while the other runs are tested: it is only waiting.
    for (const name of ['source', 'gone'])
      waiting.set(name, await startWithin(harness, name, { toolTimeoutSeconds: 8 }));
  });
  after(() => harness?.stop());

  const firstCall = ({ steps }: Detail) => steps[0]!.tool_calls[0]!;
  const checkReported = (detail: Detail): void => {
    assert.equal(detail.status, 'completed');
    assert.equal(detail.limit_reached, null);
    assert.deepEqual(
      detail.citations.flatMap(({ excerpts }) => excerpts.map(({ verified }) => verified)),
      [true],
    );
  };

  it('10 MB are stored whole, shown in part, and found by search', async () => {
    const { run, detail } = await runCase(harness, 'huge');
    checkReported(detail);
    assert.equal(firstCall(detail).bytes, TEN_MEGABYTES.length);
    assert.equal(firstCall(detail).sha256, createHash('sha256').update(TEN_MEGABYTES).digest('hex'));
    const shown = parseFramedToolResult(lastMessage(run.requests[1]!))!;
    assert.equal(shown.characters, TEN_MEGABYTES.length);
    assert.equal(shown.body, TEN_MEGABYTES.slice(0, 16_000));
    assert.match(parseFramedToolResult(lastMessage(run.requests[2]!))!.body, new RegExp(NEEDLE));
    const largest = Math.max(...run.requests.map(({ body }) => JSON.stringify(body.messages).length));
    assert.ok(largest < 60_000, `a request carried ${largest} characters`);

    const offset = TEN_MEGABYTES.length - NEEDLE.length;
    const stored = await harness.request('GET', `/api/tool-results/${firstCall(detail).id}?offset=${offset}`);
    assert.equal((stored.body as { content: string }).content, NEEDLE);
  });

  it('binary data becomes a description with its digest', async () => {
    const { detail } = await runCase(harness, 'binary');
    checkReported(detail);
    assert.match(detail.investigation_text, /binary, 4096 bytes/);
  });

  it('nothing becomes words that say so', async () => {
    const { detail } = await runCase(harness, 'nothing');
    checkReported(detail);
    assert.equal(firstCall(detail).is_error, false);
  });

  it('a tool that never answers is stopped at its own time-out, and the run goes on', async () => {
    const { run, detail } = await runCase(harness, 'hanging');
    checkReported(detail);
    assert.equal(firstCall(detail).is_error, true);
    assert.equal(firstCall(detail).status, 'completed');
    assert.equal(run.requests.length, 2);
  });

  it('a tool with a defect fails its call and not the run', async () => {
    const { detail } = await runCase(harness, 'failing');
    checkReported(detail);
    assert.equal(firstCall(detail).is_error, true);
  });

  it('one bad tool does not take the results of those beside it', async () => {
    const { run, detail } = await runCase(harness, 'beside');
    checkReported(detail);
    assert.deepEqual(
      detail.steps[0]!.tool_calls.map(({ name, is_error }) => [name, is_error]),
      [
        ['hanging', true],
        ['failing', true],
        ['nothing', false],
        ['huge', false],
      ],
    );
    const results = run.requests[1]!.body.messages.at(-1)!.content;
    assert.ok(Array.isArray(results));
    assert.deepEqual(
      results.map(({ type }) => type),
      Array.from({ length: 4 }, () => 'tool_result'),
    );
  });

  const checkFailed = ({ status, error, investigation_text: text }: Detail): void => {
    assert.deepEqual([status, error?.code], ['failed', 'sources_failed']);
    assert.match(error?.message ?? '', /hanging \(No answer within 8 s/);
    assert.match(text, /No answer within 8 s/);
  };

  it('a source that never answers is stopped at the time-out of tools, and fails a run that had no other', async () => {
    checkFailed(await waiting.get('source')!.ended());
  });

  it('a source that never answers fails a run without a report of its own, too', async () => {
    const detail = await waiting.get('gone')!.ended();
    assert.equal(detail.limit_reached, 'no_report');
    checkFailed(detail);
  });
});
