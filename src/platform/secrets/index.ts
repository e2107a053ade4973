export { createSecretBox, SecretError, type SecretBox } from './box.ts';
export { generateCredential, hashCredential, pepperFor, sameHash } from './credential.ts';
export { loadSecretKey } from './key.ts';
