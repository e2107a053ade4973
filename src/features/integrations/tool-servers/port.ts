/** What Casebook knows of a vendor's MCP server. */
import type { StdioServer } from '@casebook/mcp';
import type { SourceAnswer } from '../../tools/index.ts';
import type { IntegrationSettings, VendorAddresses } from '../configuration.ts';
import type { Target } from '../connections.ts';

export type House = IntegrationSettings['integrations'];

/** What the program is started with besides its own command; credentials are never arguments. */
export type Start = Pick<StdioServer, 'args' | 'env'> & { files?: Readonly<Record<string, string>> };

export interface VendorServer {
  package: string;
  version: string;
  /** Arguments of tools that a model has no say in. */
  hidden?: RegExp;
  /** What such arguments are, where a tool takes them. */
  fixed?(settings: Target['settings']): Record<string, unknown>;
  /** `all`: each tool of this version reads, though it does not say so. */
  readOnly?: 'all';
  /** What a result means, beyond what the protocol says of it. */
  meaning(content: string): Said | undefined;
  /** @returns undefined if it cannot be told where this installation reaches the vendor */
  start(addresses: VendorAddresses): Start | undefined;
  /** @returns undefined if it cannot use what the team has connected with */
  credentials(target: Target, house: House): Omit<Start, 'args'> | undefined;
}

/** A result, and what it says about the vendor. */
export interface Said {
  content: string;
  answer: SourceAnswer;
}
