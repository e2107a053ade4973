/** With what a pipeline can be started, according to its configuration: https://docs.gitlab.com/ci/inputs/ */
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import type { HostWorkflow } from '../shared/code-host/port.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const options = z.array(scalar).optional().catch(undefined);
const description = scalar.catch('');

const input = z
  .looseObject({
    type: z.enum(['string', 'number', 'boolean', 'array']).catch('string'),
    description,
    default: scalar.optional().catch(undefined),
    options,
  })
  .nullable();
/** Those that GitLab's form offers are the ones that are described. */
const variable = z.looseObject({ description: scalar, value: scalar.catch(''), options });

const header = z.looseObject({ spec: z.looseObject({ inputs: z.record(z.string(), input).catch({}) }) });
const content = z.looseObject({ variables: z.record(z.string(), z.unknown()).catch({}) });

export interface PipelineInputs {
  /** Sent as `inputs`. */
  inputs: HostWorkflow['inputs'];
  /** Sent as `variables`. */
  variables: HostWorkflow['inputs'];
}

/** @returns undefined if this is no configuration of a pipeline */
export function pipelineInputs(text: string): PipelineInputs | undefined {
  const documents = [...parseAllDocuments(text, { logLevel: 'silent' })];
  if (documents.length === 0 || documents.some(({ errors }) => errors.length > 0)) return undefined;
  const [first, ...others]: unknown[] = documents.map((one) => one.toJS({ maxAliasCount: 100 }) as unknown);
  const spec = header.safeParse(first);
  const rest = content.safeParse(others.length > 0 ? others.at(-1) : first);
  if (!rest.success) return undefined;
  return {
    inputs: Object.entries(spec.data?.spec.inputs ?? {}).map(([name, given]) => ({
      name,
      type: given?.options ? 'choice' : given?.type === 'boolean' || given?.type === 'number' ? given.type : 'string',
      description: given?.description ?? '',
      isRequired: given?.default === undefined,
      ...(given?.default !== undefined && { default: given.default }),
      ...(given?.options && { options: given.options }),
    })),
    variables: Object.entries(rest.data.variables).flatMap(([name, value]) => {
      const { data: given } = variable.safeParse(value);
      if (!given) return [];
      return {
        name,
        type: given.options ? ('choice' as const) : ('string' as const),
        description: given.description,
        isRequired: false,
        default: given.value,
        ...(given.options && { options: given.options }),
      };
    }),
  };
}
