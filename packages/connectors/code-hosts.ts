import { gitea } from './gitea/index.ts';
import { github } from './github/index.ts';
import { gitlab } from './gitlab/index.ts';
import type { CodeHostKindDefinition, CodeHostOptions } from './shared/code-host/connector.ts';
import type { CodeHost, CodeHostKind } from './shared/code-host/port.ts';

const codeHosts: Record<CodeHostKind, Pick<CodeHostKindDefinition, 'open'>> = { gitea, github, gitlab };

/**
 * A code host, with everything that its driver can do. Nothing is connected before the first call.
 * @throws ZodError when the configuration is not one of this kind
 */
export function openCodeHost(kind: CodeHostKind, config: unknown, options: CodeHostOptions): CodeHost {
  return codeHosts[kind].open(config, options);
}
