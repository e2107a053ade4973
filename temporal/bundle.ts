/**
 * `node temporal/bundle.ts FILE [TIMING]`: bundles the workflow code into a file, for workers that get its path as
 * `CASEBOOK_WORKFLOW_BUNDLE` and start without bundling. TIMING is a module in place of `workflows/timing.ts`.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { workflowsPath } from './worker.ts';

const [file, timing] = process.argv.slice(2);
if (file === undefined) throw new Error('Usage: node temporal/bundle.ts FILE [TIMING]');
const { code } = await bundleWorkflowCode({
  workflowsPath,
  webpackConfigHook(config) {
    if (timing !== undefined) Object.assign(config.resolve?.alias ?? {}, { './timing.ts$': resolve(timing) });
    return config;
  },
});
// Written atomically: others may be looking for it.
writeFileSync(`${file}.${process.pid}`, code);
renameSync(`${file}.${process.pid}`, file);
