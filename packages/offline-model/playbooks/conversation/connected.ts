/** Says what is connected, and that something is not. */
import { call, wasMade } from '../calls.ts';
import { foundTools, type ConnectedTool } from '../connected/catalogue.ts';
import { isDatabase } from '../connected/questions.ts';
import { spoken, systemName } from '../connected/sayings.ts';
import { openCase } from '../investigation/case-file.ts';
import { bullets, cite, failureOf, listed, name, paragraphs, quote } from '../wording.ts';
import { has, type Chat, type Play } from './chat.ts';

/** Prefix of the ids of integrations as sources. */
const INTEGRATION = 'integration:';
const MAX_NAMED = 20;

/** What is connected: the sources say which of them fail, and tools what can be asked. */
export function listPlay(chat: Chat, of: 'databases' | 'all'): Play {
  const list = call('list_sources', {});
  const { sources } = openCase(chat.calls);
  return {
    next: () => (wasMade(chat, list) ? undefined : { text: 'Listing what is connected.', calls: [list] }),
    answer() {
      const failed = chat.calls.find(({ isError, tool }) => isError && tool === list.name);
      const tools = [...chat.situation.connected, ...foundTools([...chat.earlierCalls, ...chat.calls])];
      const own = (sources?.result.sources ?? []).filter(({ id }) => id.startsWith(INTEGRATION));
      const systems = new Map<string, string>([
        ...tools.map(({ system, kind }) => [system, kind] as const),
        ...own.map(({ id, kind }) => [id.slice(INTEGRATION.length), kind] as const),
      ]);
      const lines = [...systems]
        .filter(([, kind]) => of === 'all' || isDatabase(kind))
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([system, kind]) => {
          const source = own.find(({ id }) => id === `${INTEGRATION}${system}`);
          const asked = tools.filter((tool) => tool.system === system).map(({ operation }) => spoken(operation));
          const offers = asked.length === 0 ? '' : `: ${listed(asked, MAX_NAMED)}`;
          const error = source?.error === undefined ? '' : `; it does not answer: ${quote(source.error, 200)}`;
          return `${systemName({ system, kind })}${offers}${error}${source ? cite(sources?.call) : ''}`;
        });
      const lost = failed ? `The sources could not be listed: ${failureOf(failed)}${cite(failed)}.` : '';
      if (lines.length > 0)
        return paragraphs(`**Connected ${of === 'all' ? 'systems' : 'databases'}:**`, bullets(lines), lost);
      const none = `No ${of === 'all' ? 'system' : 'database'} is connected${cite(sources?.call)}. Connect one on the Integrations page.`;
      return lost === '' ? none : lost;
    },
  };
}

/** A name that no tool has: a source says so if the system is there and cannot be read. */
export function unknownPlay(chat: Chat, unknown: string, tools: readonly ConnectedTool[]): Play {
  const list = call('list_sources', {});
  const { sources } = openCase(chat.calls);
  return {
    next: () =>
      has(chat, list.name) && !wasMade(chat, list) ? { text: 'Listing what is connected.', calls: [list] } : undefined,
    answer() {
      const broken = sources?.result.sources.find(
        ({ id, error }) => error !== undefined && id.toLowerCase() === `${INTEGRATION}${unknown.toLowerCase()}`,
      );
      return broken?.error === undefined
        ? `No connected system is called “${name(unknown)}”. ${connectedOnes(tools)}`
        : `${name(unknown)} is connected but cannot be read: ${quote(broken.error, 200)}${cite(sources?.call)}.`;
    },
  };
}

export function connectedOnes(tools: readonly ConnectedTool[]): string {
  if (tools.length === 0) return 'No system was found.';
  // A search finds some of the tools.
  return `${tools.some(({ isFound }) => isFound) ? 'Among those connected are' : 'Connected are'} ${namesOf(tools)}.`;
}

export function namesOf(tools: readonly ConnectedTool[]): string {
  const byName = new Map(tools.map((tool) => [tool.system, tool]));
  return listed([...byName.values()].toSorted((a, b) => (a.system < b.system ? -1 : 1)).map(systemName), MAX_NAMED);
}
