/** The tools about investigations as a run of a team calls them: through a registry, with checked input. */
import { investigationTools, type InvestigationServiceDeps } from '../../src/features/investigations/index.ts';
import { createToolRegistry, type ToolContext } from '../../src/features/tools/index.ts';
import { toolContext } from './tool-context.ts';

export interface CalledTool {
  text: string;
  /** Of a result that is JSON. */
  json: never;
  digest: string;
  isError: boolean;
}

export type CallTool = (name: string, input: unknown, context?: Partial<ToolContext>) => Promise<CalledTool>;

/** @param credentialId whose key the run works for */
export function callerOf(deps: InvestigationServiceDeps, teamId: string, credentialId?: string): CallTool {
  const actor = { teamId, credentialId, scopes: ['team:admin'] };
  const registry = createToolRegistry(investigationTools(deps));
  return async (name, input, context = {}) => {
    const output = await registry.invoke(name, input, { ...toolContext(), teamId, actor, ...context });
    const text = String(output.content);
    return {
      text,
      get json() {
        return JSON.parse(text) as never;
      },
      digest: output.digest,
      isError: output.isError ?? false,
    };
  };
}
