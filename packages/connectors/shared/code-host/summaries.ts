/** What changes are called, whatever their host. */

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim().slice(0, 300);

/** @param reference as the host writes it: `#1`, or `!1` on GitLab */
export const mergeSummary = (reference: string, title: string): string => oneLine(`Merged ${reference}: ${title}`);

export const releaseSummary = (tag: string, name: string | null | undefined): string =>
  oneLine(name && name !== tag ? `Released ${tag}: ${name}` : `Released ${tag}`);

export const deploymentSummary = (ref: string, environment: string): string =>
  oneLine(`Deployed ${ref} to ${environment}`);
