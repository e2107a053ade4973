import { parse } from 'yaml';
import { z } from 'zod';
import type { HostWorkflow } from './port.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const TYPES = ['string', 'boolean', 'number', 'choice', 'environment'] as const;

const input = z
  .looseObject({
    type: z.enum(TYPES).catch('string'),
    description: scalar.catch(''),
    required: z.boolean().catch(false),
    default: scalar.optional().catch(undefined),
    options: z.array(scalar).optional().catch(undefined),
  })
  .nullable();
const inputs = z.record(z.string(), input).catch({});
const dispatch = z.looseObject({ inputs }).nullable().catch(null);
const triggers = z.union([
  z.literal('workflow_dispatch').transform(() => null),
  z
    .array(z.unknown())
    .refine((names) => names.includes('workflow_dispatch'))
    .transform(() => null),
  z
    .looseObject({})
    .refine((events) => Object.hasOwn(events, 'workflow_dispatch'))
    .transform(({ workflow_dispatch }) => dispatch.parse(workflow_dispatch)),
]);

/**
 * The inputs with which a workflow file says that it can be dispatched.
 * @returns undefined if it cannot be, or is no workflow
 */
export function dispatchInputs(text: string): HostWorkflow['inputs'] | undefined {
  const found = z.object({ on: triggers }).safeParse(parsed(text));
  if (!found.success) return undefined;
  return Object.entries(found.data.on?.inputs ?? {}).map(([name, given]) => ({
    name,
    type: given?.type ?? 'string',
    description: given?.description ?? '',
    isRequired: given?.required ?? false,
    ...(given?.default !== undefined && { default: given.default }),
    ...(given?.options !== undefined && { options: given.options }),
  }));
}

/** What a workflow file calls itself, if anything. */
export function workflowName(text: string): string | undefined {
  return z.object({ name: z.string().min(1) }).safeParse(parsed(text)).data?.name;
}

function parsed(text: string): unknown {
  try {
    return parse(text, { logLevel: 'silent' });
  } catch {
    return undefined;
  }
}
