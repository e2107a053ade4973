import assert from 'node:assert/strict';
import { dispatchInputs, workflowName } from '../../../packages/connectors/shared/code-host/workflow-inputs.ts';

describe('workflow files that can be dispatched', () => {
  it('have inputs with types, defaults and options', () => {
    const text = `
name: Deploy
on:
  push:
  workflow_dispatch:
    inputs:
      version: { description: Which one, required: true }
      count: { type: number, default: 3 }
      dry: { type: boolean, default: false }
      where: { type: choice, options: [north, 2] }
      bare:
      odd: { type: rocket, required: perhaps }
`;
    assert.equal(workflowName(text), 'Deploy');
    assert.deepEqual(dispatchInputs(text), [
      { name: 'version', type: 'string', description: 'Which one', isRequired: true },
      { name: 'count', type: 'number', description: '', isRequired: false, default: '3' },
      { name: 'dry', type: 'boolean', description: '', isRequired: false, default: 'false' },
      { name: 'where', type: 'choice', description: '', isRequired: false, options: ['north', '2'] },
      { name: 'bare', type: 'string', description: '', isRequired: false },
      { name: 'odd', type: 'string', description: '', isRequired: false },
    ]);
  });

  it('need no inputs, in each way to write it', () => {
    for (const on of [
      'workflow_dispatch',
      '[push, workflow_dispatch]',
      '{ workflow_dispatch: }',
      '{ workflow_dispatch: {} }',
    ])
      assert.deepEqual(dispatchInputs(`on: ${on}\njobs: {}\n`), [], on);
  });

  it('are not those that only events start, nor what is no workflow', () => {
    const bomb = `a: &a [x,x]\n${'bcdefghijk'.replaceAll(/./gu, (c) => `${c}: &${c} [*${String.fromCharCode(c.charCodeAt(0) - 1)},*${String.fromCharCode(c.charCodeAt(0) - 1)}]\n`)}on: *k\n`;
    for (const text of ['on: push', 'on: [push]', 'on: { push: {} }', '', 'null', '- a', 'on: {', '\t', bomb]) {
      assert.equal(dispatchInputs(text), undefined);
      assert.equal(workflowName(text), undefined);
    }
  });
});
