import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** What operators filter runs by in the Temporal UI. Workflows import this file: definitions only. */
export const teamAttribute = defineSearchAttributeKey('CasebookTeam', SearchAttributeType.KEYWORD);
export const kindAttribute = defineSearchAttributeKey('CasebookKind', SearchAttributeType.KEYWORD);
export const serviceAttribute = defineSearchAttributeKey('CasebookService', SearchAttributeType.KEYWORD);
export const outcomeAttribute = defineSearchAttributeKey('CasebookOutcome', SearchAttributeType.KEYWORD);
/** 0 to 1. */
export const confidenceAttribute = defineSearchAttributeKey('CasebookConfidence', SearchAttributeType.DOUBLE);

export const searchAttributes = [teamAttribute, kindAttribute, serviceAttribute, outcomeAttribute, confidenceAttribute];
