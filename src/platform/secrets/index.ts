export { createSecretBox, SecretError, type SecretBox } from './box.ts';
export { loadSecretKey } from './key.ts';
