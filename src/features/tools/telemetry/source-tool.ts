/** What tools that query a telemetry source share: input fields, worded once, and how a call finds its source. */
import { z } from 'zod';
import { QueryError } from '@casebook/connectors';
import { SourceError, type SourceCapability, type TelemetrySource } from '../../sources/port.ts';
import { toUnixSeconds } from '../time.ts';
import { errorOutput, jsonOutput, defineTool, type SourceAnswer, type Tool, type ToolContext } from '../tool.ts';

export const sourceField = z.string().trim().min(1).max(200).describe('The id of a source, from list_sources.');

/** Unix seconds, from ISO 8601 or unix seconds. */
export const timeField = z.union([z.string().max(60), z.number()]).transform((value, context) => {
  const parsed = toUnixSeconds(value);
  if (typeof parsed === 'number') return parsed;
  context.addIssue({ code: 'custom', message: parsed.problem, input: value });
  return z.NEVER;
});

export const serviceField = z.string().trim().min(1).max(200);

/** The window a tool looks at; both ends are optional. */
export const windowFields = {
  from: timeField
    .optional()
    .describe(
      'Start of the window, ISO 8601 or unix seconds. Default: 30 minutes before the alert, else what the source covers, else an hour ago.',
    ),
  to: timeField
    .optional()
    .describe('End of the window (exclusive), ISO 8601 or unix seconds. Default: 30 minutes after the alert, or now.'),
};

/** The healthy period to compare with. */
export const baselineFields = {
  baseline_from: timeField
    .optional()
    .describe(
      "Start of a healthy period to compare with. Default: the source's own baseline, else the time before the window.",
    ),
  baseline_to: timeField.optional().describe('End (exclusive) of that healthy period.'),
};

/** A bound on how much is returned. */
export function limitField(fallback: number, max: number, what: string) {
  return z.number().int().min(1).max(max).default(fallback).describe(`Most ${what} to return, ${fallback} by default.`);
}

/** A source known to have `Method`. */
export type SourceWith<Method extends keyof TelemetrySource> = TelemetrySource &
  Required<Pick<TelemetrySource, Method>>;

interface SourceToolDefinition<Input extends { source: string }, Method extends keyof TelemetrySource> {
  name: string;
  description: string;
  input: z.ZodType<Input>;
  timeoutSeconds?: number;
  /** The part of the source the tool needs. */
  needs: { capability: SourceCapability; method: Method };
  summarize(input: Input): string;
  /** @throws {SourceError} if there is no answer; it becomes the tool's error output */
  answer(input: Input, source: SourceWith<Method>, context: ToolContext): Promise<{ result: object; digest: string }>;
}

/**
 * A tool that queries one source. Whatever the source cannot do, or does not know, becomes an error output that says
 * what would work; any other failure propagates.
 */
export function defineSourceTool<Input extends { source: string }, Method extends keyof TelemetrySource>(
  definition: SourceToolDefinition<Input, Method>,
): Tool<Input> {
  const { needs, ...tool } = definition;
  return defineTool<Input>({
    ...tool,
    capability: needs.capability,
    async run(input, context) {
      try {
        const source = sourceWith(context, input.source, needs);
        const { result, digest } = await definition.answer(input, source, context);
        return { ...jsonOutput(result, digest), answer: isEmpty(result) ? 'nothing' : 'data' };
      } catch (error) {
        context.signal.throwIfAborted();
        if (error instanceof SourceError) return { ...errorOutput(error.message), answer: answerOf(error) };
        throw error;
      }
    },
  });
}

/** Lists that are about the answer, not of it. */
const ASIDE: ReadonlySet<string> = new Set(['notes', 'cycles']);

/** Whether every list of a result is empty. */
function isEmpty(result: object): boolean {
  const lists = Object.entries(result).flatMap(([name, value]) =>
    Array.isArray(value) && !ASIDE.has(name) ? [value.length] : [],
  );
  return lists.length > 0 && lists.every((length) => length === 0);
}

/** A system that is down or overloaded did not answer; any other error is about the question. */
function answerOf({ cause }: SourceError): SourceAnswer {
  const isDown = cause instanceof QueryError && ['failed', 'timeout', 'busy'].includes(cause.code);
  return isDown ? 'unavailable' : 'refused';
}

function sourceWith<Method extends keyof TelemetrySource>(
  context: ToolContext,
  id: string,
  { capability, method }: { capability: SourceCapability; method: Method },
): SourceWith<Method> {
  const can = (source: TelemetrySource): source is SourceWith<Method> =>
    typeof source[method] === 'function' && source.capabilities.includes(capability);
  const source = context.sources.get(id);
  if (can(source)) return source;
  const others = context.sources.list().filter(can);
  const instead =
    others.length > 0 ? `Sources that have: ${others.map((other) => other.id).join(', ')}.` : 'No source has.';
  throw new SourceError(
    `Source "${id}" does not offer ${capability}; it offers ${source.capabilities.join(', ') || 'nothing'}. ${instead}`,
  );
}
