/** The configuration of connectors: the common part, and each kind's own. */
import type { z } from 'zod';
import type { Connector, ConnectorKindDefinition, ConnectorOptions } from '@casebook/connectors';
import { connectorCommon } from './schema.ts';

/** All kinds of connectors. */
export type ConnectorKinds = Readonly<Record<string, ConnectorKindDefinition | undefined>>;

export interface ConfiguredConnector {
  id: string;
  kind: string;
  title: string;
  timeoutSeconds: number | undefined;
  maxAnswerBytes: number | undefined;
  /** Creates the connector from its own part of the file. */
  create(options: ConnectorOptions): Connector;
}

export interface FoundIssue {
  path: PropertyKey[];
  message: string;
  code?: string;
  keys?: string[];
  expected?: string;
}

export function parseConnectors(
  found: readonly unknown[],
  kinds: ConnectorKinds,
): { connectors: ConfiguredConnector[]; issues: FoundIssue[] } {
  const connectors: ConfiguredConnector[] = [];
  const issues: FoundIssue[] = [];
  const ids = new Set<string>();
  found.forEach((entry, index) => {
    const at = (path: readonly PropertyKey[]): PropertyKey[] => ['connectors', index, ...path];
    const common = connectorCommon.safeParse(entry);
    if (!common.success) {
      issues.push(...common.error.issues.map((issue) => ({ ...issue, path: at(issue.path) })));
      return;
    }
    const { id, kind, title, timeout_seconds: timeoutSeconds, max_answer_bytes: maxAnswerBytes, ...own } = common.data;
    if (ids.has(id)) issues.push({ path: at(['id']), message: `two connectors have the id "${id}"` });
    ids.add(id);
    const definition = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
    if (!definition) {
      const known = Object.keys(kinds).sort().join(', ');
      issues.push({ path: at(['kind']), message: `there is no connector of kind "${kind}"; the kinds are: ${known}` });
      return;
    }
    const parsed = definition.config.safeParse(own);
    if (!parsed.success) {
      issues.push(...parsed.error.issues.map((issue: z.core.$ZodIssue) => ({ ...issue, path: at(issue.path) })));
      return;
    }
    connectors.push({
      id,
      kind,
      title: title ?? id,
      timeoutSeconds,
      maxAnswerBytes,
      create: (options) => definition.create(parsed.data, options),
    });
  });
  return { connectors, issues };
}
