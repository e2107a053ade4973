/** What the room gives to others. */
import type { CodeHost, HostEvent } from '@casebook/connectors';
import type { EntityManager } from '../../db/orm.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import type { GitOptions, GitResult } from '../../platform/git/index.ts';
import type { Repository } from './entities.ts';

/** A repository's bare mirror. Each process of an installation may use it; fetches exclude each other. */
export interface Mirror {
  gitDir: string;
  /** Runs Git on the mirror. @throws what `runGit` throws */
  git(args: readonly string[], options?: GitOptions): Promise<GitResult>;
  /** The commit of a branch, by default of the default branch. @throws {CodeHostError} `not_found` */
  head(branch?: string): Promise<string>;
  /** The commit that a branch, a tag or a commit's id (7 digits or more) names; undefined if there is none. */
  resolve(revision: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Fetches what the host has now. @throws {CodeHostError} */
  fetchNow(signal: AbortSignal): Promise<void>;
  /** Pushes `SOURCE:refs/heads/NAME`; never by force. @throws {CodeHostError} */
  push(refspecs: readonly string[], signal: AbortSignal): Promise<void>;
}

/** The repositories that a team has connected. Entity managers are bound to the team. */
export interface Repositories {
  /**
   * The repository's host, with a credential that is still good.
   * @throws {CodeHostError} when there is none
   */
  hostOf(repository: Repository): Promise<CodeHost>;
  /** Where Git may reach it: its clone URL is what the host says. @throws {CodeHostError} when it is disconnected */
  networkOf(repository: Repository): Promise<Outbound['network']>;
  /** By full name, in any capitals. @throws {NotFound} `repository_not_found`, also where the host is turned off */
  find(em: EntityManager, fullName: string): Promise<Repository>;
  /** In alphabetical order; without those whose host is turned off. */
  list(em: EntityManager): Promise<Repository[]>;
}

export interface CodeHosts extends Repositories {
  mirrorOf(repository: Repository): Mirror;
  /** For other rooms, as they are built: gets each event of a connected repository, once its signature is verified. */
  onWebhook(listener: WebhookListener): void;
}

export type WebhookListener = (event: HostEvent, repository: Repository) => Promise<void>;
