/** `redaction` in the YAML file. */
import { z } from 'zod';
import { REDACTED, type RedactionRule } from './defaults.ts';
import type { RedactionOptions } from './redactor.ts';

const pattern = z
  .strictObject({
    name: z.string().min(1).max(100),
    /** A JavaScript regular expression. */
    pattern: z.string().min(1).max(5_000),
    flags: z
      .string()
      .regex(/^[imsuv]*$/, 'may only contain the flags i, m, s, u and v')
      .default(''),
    /** `$1` and the like insert groups. */
    replacement: z.string().max(1_000).default(REDACTED),
  })
  .transform(({ name, pattern, flags, replacement }, context): RedactionRule => {
    const refuse = (message: string): never => {
      context.addIssue({ code: 'custom', path: ['pattern'], message });
      return z.NEVER;
    };
    let compiled: RegExp;
    try {
      compiled = new RegExp(pattern, `${flags}g`);
    } catch (error) {
      // The engine's message repeats the pattern; keep only what follows it.
      const reason = error instanceof Error ? (error.message.split(': ').at(-1) ?? '') : '';
      return refuse(`is not a regular expression: ${reason}`);
    }
    if (''.search(compiled) === 0) return refuse('matches the empty string, and so everywhere');
    return { name, apply: (text) => text.replace(compiled, replacement) };
  });

/** @returns the options of a redactor */
export const redactionConfig = z
  .strictObject({
    /** Keys, tokens, passwords, card numbers. */
    defaults: z.boolean().default(true),
    emails: z.boolean().default(false),
    patterns: z.array(pattern).max(200).default([]),
  })
  .transform(({ defaults, emails, patterns }): RedactionOptions => ({ defaults, emails, rules: patterns }));
