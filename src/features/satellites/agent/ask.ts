/** Queries a satellite on behalf of a tool call, and formats the answer for the model. */
import {
  errorOutput,
  oneLine,
  readMcpResult,
  type SourceAnswer,
  type ToolContext,
  type ToolOutput,
} from '../../tools/index.ts';
import {
  SatelliteCallError,
  type SatelliteCalls,
  SatelliteOffline,
  SatelliteRefused,
  SatelliteTimeout,
} from '../calls/port.ts';
import type { SatelliteOffer } from './offer.ts';

/** Timeout of the system behind the satellite, in ms: shorter than the tool call's, so that its failure can still be reported. */
const ANSWER_MS = 75_000;

/** Makes the call; if the satellite cannot answer, the output is an error. */
export async function ask(
  calls: SatelliteCalls,
  offer: SatelliteOffer,
  input: Record<string, unknown>,
  { teamId, toolCallId, signal, isGivenUp, onWait }: ToolContext,
): Promise<ToolOutput> {
  const target = offer.targetOf(input);
  // Every attempt at this tool call sends the same request: the satellite does the work once.
  const call = {
    teamId,
    satelliteId: offer.satelliteId,
    target,
    timeoutMs: ANSWER_MS,
    requestId: toolCallId,
    acts: !offer.readOnly,
    isGivenUp,
    onWait,
  };
  try {
    const { text } = await calls.ask(call, signal);
    const { content, isError } = target.kind === 'mcp' ? readMcpResult(text) : { content: text, isError: false };
    const size = `${content.length.toLocaleString('en-US')} characters`;
    const digest = isError ? `Error: ${oneLine(content, 150)}` : `${offer.system} ${offer.what}: ${size}`;
    return { content, digest, isError, answer: isError ? 'refused' : 'data' };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SatelliteCallError)) throw error;
    // An act that may or may not have happened is not a source that failed: the model has to say so.
    return { ...explain(error, offer), ...(offer.readOnly && { answer: answerOf(error) }) };
  }
}

function answerOf(error: SatelliteCallError): SourceAnswer {
  const isAbout = error instanceof SatelliteRefused && ['bad_request', 'not_found', 'too_large'].includes(error.code);
  return isAbout ? 'refused' : 'unavailable';
}

function explain(error: SatelliteCallError, { system: satellite, inputSchema }: SatelliteOffer): ToolOutput {
  const reason = reasonOf(error, satellite);
  if (error instanceof SatelliteOffline) {
    return errorOutput(`${reason} Nothing behind it can be queried until it is back; list_sources has other sources.`);
  }
  if (error instanceof SatelliteTimeout)
    return errorOutput(`${reason} Ask for less: a shorter time range, or fewer results.`);
  if (!(error instanceof SatelliteRefused)) return errorOutput(reason);
  const { code } = error;
  if (code === 'too_large')
    return errorOutput(`${reason} Ask for less: a limit, a filter, a shorter time range.`, { code });
  if (code !== 'bad_request') return errorOutput(reason, { code });
  const properties = inputSchema['properties'];
  const accepts = typeof properties === 'object' && properties !== null ? Object.keys(properties).slice(0, 50) : [];
  return errorOutput(reason, { code, accepts, required: inputSchema['required'] ?? [] });
}

/** @returns why there is no answer and, if the satellite is away, when it was last seen */
export function reasonOf(error: SatelliteCallError, satellite: string): string {
  if (error instanceof SatelliteOffline) {
    const seen = error.lastSeenAt?.toISOString();
    const since = seen === undefined || error.message.includes(seen) ? '' : ` It was last seen at ${seen}.`;
    return `${error.message}${since}`;
  }
  if (error instanceof SatelliteRefused) return `Satellite ${satellite}: ${error.message}`;
  return error.message;
}
