/** What the offline model says of itself. */
import { has, type Chat } from './chat.ts';
import { bullets, paragraphs } from './wording.ts';

const WHO =
  "I am Casebook's offline model: I follow written playbooks and cannot converse freely, because no Anthropic API key " +
  'is configured (ANTHROPIC_API_KEY).';

export function introduction(chat: Chat): string {
  return paragraphs(WHO, `What I can do:\n\n${bullets(abilities(chat))}`);
}

/** What can be asked with the tools there are. */
function abilities(chat: Chat): string[] {
  const can = (tool: string): boolean => has(chat, tool);
  return [
    'find the likely cause of a problem and cite the evidence: “Why is checkout failing?”',
    ...(can('search_logs') || !can('create_file')
      ? ['look things up: logs, recent changes, dependencies, a metric, services, sources, alerts']
      : []),
    ...(can('start_investigation')
      ? [
          'start an investigation and follow it: “Investigate the checkout errors”; read one that is done: “What did the last investigation find?”',
        ]
      : [
          'investigate a production problem: start an investigation with a description of the symptom, and I write a report that cites what I found',
        ]),
    ...(can('draw_chart') ? ['draw a chart: “Plot the latency of checkout”'] : []),
    ...(can('create_file') || can('edit_file')
      ? ['change files by plain instructions: “replace A with B in notes.md”, “write a runbook for checkout”']
      : []),
  ];
}
