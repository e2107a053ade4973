/** What the sockets of one team on this node learn, in the order in which it happened. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock.ts';
import type { EventLog } from '../../../platform/event-log/index.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { CommitChange, WorkspacePort } from '../port.ts';
import { nextStreamsAt, streamsAt } from './events.ts';
import type { LiveMessage } from './messages.ts';

/** Commits that are told one by one; a client that has missed more reads the files anew. */
const MAX_COMMITS = 100;
const RETRY_MS = 1_000;
/** A change whose event was lost with its process is found after this, in ms. */
const CHECK_MS = 30_000;

export interface FeedDeps {
  workspace: WorkspacePort;
  teamId: string;
  events: EventLog;
  clock: Clock;
  log: Logger;
  /** Interval for looking without an event, ms; 30,000 by default. */
  checkMs?: number;
}

/** Sends one message to one client. */
export type Listener = (message: string) => void;

export class Feed {
  readonly #deps: FeedDeps;
  readonly #listeners = new Set<Listener>();
  readonly #tails = new Map<string, AbortController>();
  readonly #stopped = new AbortController();
  /** The newest commit that the listeners know. */
  #head = '';
  /** The commit of each mirror that they know, by path. */
  #mirrors = new Map<string, string>();
  readonly #started: Promise<void>;
  #queue: Promise<void> = Promise.resolve();
  #looksForCommits = false;
  #looksForMounts = false;
  #rolling: NodeJS.Timeout | undefined;
  readonly #checking: NodeJS.Timeout;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
    // First: a change between the look and the tail would be missed.
    this.#follow();
    this.#started = this.#start();
    this.#started.catch(() => undefined);
    this.#checking = setInterval(
      () => this.#changed({ commits: true, mounts: true }),
      deps.checkMs ?? CHECK_MS,
    ).unref();
  }

  /** Whether the workspace could be read at first; a feed that never starts fails every listener. */
  get isStarted(): boolean {
    return this.#head !== '';
  }

  /**
   * Adds a listener, and tells it what it has missed.
   * @param after the last commit it knows; a client without one reads the files after it has joined
   */
  async join(listener: Listener, after?: string): Promise<void> {
    await this.#inTurn(async () => {
      if (after !== undefined && after !== this.#head) {
        // It may have made a commit itself that has not reached us yet.
        await this.#look();
        const { workspace } = this.#deps;
        const missed = await workspace.since(after, { until: this.#head, limit: MAX_COMMITS });
        if (missed) for (const commit of missed) listener(textOf(commitMessage(commit)));
        else listener(textOf({ type: 'reset', commit: this.#head }));
      }
      this.#listeners.add(listener);
      listener(textOf({ type: 'ready', commit: this.#head }));
    });
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  stop(): void {
    this.#stopped.abort();
    clearTimeout(this.#rolling);
    clearInterval(this.#checking);
    for (const tail of this.#tails.values()) tail.abort();
  }

  async #start(): Promise<void> {
    const { workspace } = this.#deps;
    this.#head = await workspace.head();
    this.#mirrors = await this.#mounted();
  }

  /** One after another: messages are in the order of the history. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(async () => {
      await this.#started;
      await work();
    });
    this.#queue = done.catch(() => undefined);
    return done;
  }

  #follow(): void {
    const { teamId, clock, events, log } = this.#deps;
    const now = clock.now();
    const wanted = streamsAt(teamId, now);
    for (const [name, tail] of this.#tails) if (!wanted.includes(name)) this.#end(name, tail);
    for (const name of wanted) {
      if (this.#tails.has(name)) continue;
      const tail = new AbortController();
      this.#tails.set(name, tail);
      const read = async (): Promise<void> => {
        for await (const { type } of events.tail(name, { signal: tail.signal })) {
          const mounts = type === 'workspace.mounted';
          this.#changed({ commits: !mounts, mounts });
        }
      };
      read().catch((error: unknown) => tail.signal.aborted || log.warn({ err: error, teamId }, 'a feed has ended'));
    }
    this.#rolling = setTimeout(() => this.#follow(), nextStreamsAt(now) - now.getTime() + RETRY_MS).unref();
  }

  #end(name: string, tail: AbortController): void {
    tail.abort();
    this.#tails.delete(name);
  }

  /** Many changes at once are one look. */
  #changed({ commits, mounts }: { commits: boolean; mounts: boolean }): void {
    const isWaiting = this.#looksForCommits || this.#looksForMounts;
    this.#looksForCommits ||= commits;
    this.#looksForMounts ||= mounts;
    if (!isWaiting) void this.#inTurn(() => this.#lookAgain()).catch(() => undefined);
  }

  async #lookAgain(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted && (this.#looksForCommits || this.#looksForMounts)) {
      try {
        if (this.#looksForCommits) await this.#look();
        if (this.#looksForMounts) await this.#lookAtMounts();
      } catch (error) {
        this.#deps.log.warn({ err: error, teamId: this.#deps.teamId }, 'changes of a workspace could not be read');
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #look(): Promise<void> {
    this.#looksForCommits = false;
    try {
      const commits = await this.#deps.workspace.since(this.#head, { limit: MAX_COMMITS });
      const newest = commits ? commits.at(-1)?.commit : await this.#deps.workspace.head();
      if (newest === undefined) return;
      this.#head = newest;
      if (commits) for (const commit of commits) this.#tell(commitMessage(commit));
      else this.#tell({ type: 'reset', commit: newest });
    } catch (error) {
      this.#looksForCommits = true;
      throw error;
    }
  }

  async #lookAtMounts(): Promise<void> {
    this.#looksForMounts = false;
    try {
      const before = this.#mirrors;
      this.#mirrors = await this.#mounted();
      for (const path of new Set([...before.keys(), ...this.#mirrors.keys()])) {
        const commit = this.#mirrors.get(path);
        if (commit !== before.get(path)) this.#tell({ type: 'mirror', path, commit: commit ?? null });
      }
    } catch (error) {
      this.#looksForMounts = true;
      throw error;
    }
  }

  async #mounted(): Promise<Map<string, string>> {
    return new Map((await this.#deps.workspace.mounts()).map(({ path, commit }) => [path, commit]));
  }

  #tell(message: LiveMessage): void {
    const text = textOf(message);
    for (const listener of this.#listeners) listener(text);
  }
}

const textOf = (message: LiveMessage): string => JSON.stringify(message);

const commitMessage = ({ commit, parent, author, at, message, paths, truncated }: CommitChange): LiveMessage => ({
  type: 'commit',
  commit,
  parent,
  author,
  at: at.toISOString(),
  message,
  paths,
  truncated,
});
