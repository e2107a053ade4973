/** The code of a system error (`ENOENT`, `ESRCH`, ...), or undefined when there is none. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
