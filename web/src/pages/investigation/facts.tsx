import { Fact, Facts } from '../../components/ui/facts.tsx';
import { compact, count, dollars } from '../../components/ui/numbers.ts';
import { Panel } from '../../components/ui/panel.tsx';
import { wholeTime } from '../../components/ui/time.tsx';
import type { Investigation } from './queries.ts';

/** Which model ran, and what it cost. */
export function RunFacts({ investigation }: { investigation: Investigation }) {
  const { usage, steps, created_at, finished_at, status, temporal } = investigation;
  const calls = steps.reduce((sum, { tool_calls }) => sum + tool_calls.length, 0);
  const cached = usage.cache_read_input_tokens;
  const input = usage.input_tokens + usage.cache_creation_input_tokens + cached;
  return (
    <Panel title="Run">
      <Facts>
        <Fact name="Model">
          <Model {...usage} isRunning={status === 'processing'} />
        </Fact>
        <Fact name="Cost">{dollars(usage.cost)}</Fact>
        <Fact name="Tokens">
          {compact(input)} in, {compact(usage.output_tokens)} out
          {cached > 0 && <span className="text-ink-soft"> ({compact(cached)} cached)</span>}
        </Fact>
        <Fact name="Steps">
          {count(steps.length, 'step')}, {count(calls, 'tool call')}
        </Fact>
        <Fact name="Started">{wholeTime(new Date(created_at))}</Fact>
        {finished_at !== null && <Fact name="Ended">{wholeTime(new Date(finished_at))}</Fact>}
        {temporal.url !== null && (
          <Fact name="Workflow">
            <a href={temporal.url} target="_blank" rel="noopener noreferrer" className="text-accent underline">
              Open in Temporal <span className="sr-only">(opens a new tab)</span>
            </a>
          </Fact>
        )}
      </Facts>
    </Panel>
  );
}

function Model({ model, provider, isRunning }: Investigation['usage'] & { isRunning: boolean }) {
  if (model === null)
    return <span className="text-ink-soft">{isRunning ? 'Not called yet' : 'No model responded'}</span>;
  return (
    <>
      <span className="break-words">{model}</span>
      <span className="block text-ink-soft">
        {provider === 'offline' ? 'Built-in offline model: follows a playbook, without an AI provider' : provider}
      </span>
    </>
  );
}
