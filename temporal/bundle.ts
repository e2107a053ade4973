/**
 * `node temporal/bundle.ts FILE`: bundles the workflow code into a file, for workers that get its path as
 * `CASEBOOK_WORKFLOW_BUNDLE` and start without bundling.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { bundleWorkflowCode } from '@temporalio/worker';
import { workflowsPath } from './worker.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Usage: node temporal/bundle.ts FILE');
const { code } = await bundleWorkflowCode({ workflowsPath });
// Written atomically: others may be looking for it.
writeFileSync(`${file}.${process.pid}`, code);
renameSync(`${file}.${process.pid}`, file);
