/** The only Trusted Types policy: worker script URLs, and only those of our own bundle. */

interface ScriptUrlPolicy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: ScriptUrlPolicy): ScriptUrlPolicy;
}

declare global {
  interface Window {
    trustedTypes?: TrustedTypes;
  }
}

const rules: ScriptUrlPolicy = {
  createScriptURL(url) {
    const { origin, pathname } = new URL(url, location.href);
    if (origin !== location.origin || !/^\/(?:assets|src|node_modules)\//.test(pathname)) {
      throw new TypeError(`${url} is not a script of this app.`);
    }
    return url;
  },
};

const policy = window.trustedTypes?.createPolicy('casebook', rules) ?? rules;

/**
 * The URL of a worker script, as the content security policy requires it.
 * @throws {TypeError} if it is not part of our own bundle
 */
export const workerUrl = (url: URL | string): string => policy.createScriptURL(String(url));
