/** What tools that query a telemetry source have in common. */
import type { z } from 'zod';
import { SourceError, type SourceCapability, type TelemetrySource } from '../sources/port.ts';
import { errorOutput, jsonOutput } from './output.ts';
import { defineTool, type Tool, type ToolContext } from './tool.ts';

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
    async run(input, context) {
      try {
        const source = sourceWith(context, input.source, needs);
        const { result, digest } = await definition.answer(input, source, context);
        return jsonOutput(result, digest);
      } catch (error) {
        context.signal.throwIfAborted();
        if (error instanceof SourceError) return errorOutput(error.message);
        throw error;
      }
    },
  });
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
