import type { Playbook } from '../decide.ts';

export const investigation: Playbook = {
  name: 'investigation',
  fits: () => false,
  play: () => ({ text: '', calls: [] }),
};
