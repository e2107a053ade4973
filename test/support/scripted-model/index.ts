/** A scripted server of the Messages API, for tests and benchmarks. */
export * from './script.ts';
export { startScriptedModel, type RecordedRequest, type ScriptedModel } from './server.ts';
