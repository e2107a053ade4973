/**
 * The scripted model as a process of its own, for tests that kill the processes around it:
 * `node test/support/scripted-model/main.ts SCRIPT [PORT]`. SCRIPT is a JSON file with a list of steps (played by turn,
 * so that a repeated request gets the same answer) or a module whose default export is a `Script`. It prints one line
 * of JSON with its URL. `GET /_requests` tells what was asked, `POST /_release {"gate": "…"}` opens a gate and tells
 * how many requests wait at which.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { byTurn, type Script, type ScriptedStep } from './script.ts';
import { startScriptedModel } from './server.ts';

const [path, port] = process.argv.slice(2);
if (!path) throw new Error('Usage: main.ts SCRIPT [PORT]');

const model = await startScriptedModel(await loadScript(resolve(path)), { port: Number(port ?? 0) });
process.stdout.write(`${JSON.stringify({ url: model.url })}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void model.stop());

async function loadScript(file: string): Promise<Script> {
  if (file.endsWith('.json')) {
    const steps: (ScriptedStep | ScriptedStep[])[] = JSON.parse(await readFile(file, 'utf8'));
    return byTurn(steps);
  }
  const module: { default: Script } = await import(pathToFileURL(file).href);
  return module.default;
}
