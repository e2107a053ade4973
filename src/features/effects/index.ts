/**
 * The ledger of side effects: whatever Casebook does to the world outside of its own transaction is a row first.
 *
 * A room that makes something at a vendor (a pull request, a comment, a dispatch, a message):
 *
 * ```ts
 * const effect = await claimEffect(em, {
 *   teamId,
 *   kind: 'pull_request',
 *   key: `pull_request:${runId}`, // from ids that every attempt knows; never random, never the time
 *   request: { repository, branch }, // another request under this key is a 409
 *   ownerId: runId, // deleted with it: deleteInParts(em, Effect, { ownerId })
 * });
 * const { number } = await makeOnce({ orm }, effect, {
 *   lookUp: ({ signal }) => github.findPullRequest(repository, branch, { signal }),
 *   create: ({ signal }) => github.createPullRequest(repository, branch, title, { signal }),
 *   isFinal: (error) => error instanceof GitHubRefused,
 *   timeoutMs: 15_000,
 * }, attempt.signal);
 * ```
 *
 * - **Key.** One effect for each key and team. Claim it in the transaction that decides on the effect, if there is one.
 * - **Look-up before create.** From the second attempt on the vendor is asked first, because an attempt that was killed
 *   between the call and the receipt has left no word of it here. Put the key, or what follows from it, where the vendor
 *   can find it again. A vendor that takes idempotency keys gets the key, and needs no look-up. With neither, the effect
 *   happens at least once; where twice would do harm, let `lookUp` throw an error that `isFinal` knows.
 * - **Receipt.** What later steps need (an id, a URL), recorded once; a repetition gets it without asking anybody.
 * - **Retries** are the caller's, mostly Temporal's: an error leaves the row pending with `lastError`, until `isFinal`. A
 *   sweep retries what `dueEffects` finds.
 * - **What one transaction does** (rows of our own) needs no lease: `recordDone` within that transaction.
 */
export { dueEffects } from './due.ts';
export { Effect } from './entities.ts';
export { claimEffect, endEffect, purgeEffects, recordDone, stored, type EffectRequest } from './ledger.ts';
export { EffectFailed, makeOnce, type EffectAttempt, type EffectWork } from './once.ts';
export { effectsRoom } from './room.ts';
