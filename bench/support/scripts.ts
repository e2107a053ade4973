/** Answers of the scripted model. */
import type { ScriptedStep } from '../../test/support/scripted-model/index.ts';

/** Hands in a report that needs no evidence. */
export const submitReport: ScriptedStep = {
  toolUses: [
    {
      name: 'submit_report',
      input: {
        title: 'A benchmark has no root cause',
        root_cause: { service: null, statement: 'There is none.' },
        confidence: 0.5,
        summary: 'This run measures how fast runs are.',
        hypotheses: [],
        timeline: [],
        impact: 'None.',
        recommended_change: { summary: 'Do nothing.' },
        citations: [],
        accept_unverified: true,
      },
    },
  ],
};

/** Writes a plan. */
export const updatePlan: ScriptedStep = {
  text: 'First a plan.',
  toolUses: [{ name: 'update_plan', input: { items: [{ text: 'Measure', status: 'in_progress' }] } }],
};

/** Looks at the sources. */
export const listSources: ScriptedStep = {
  text: 'Then what there is to look at.',
  toolUses: [{ name: 'list_sources', input: {} }],
};
