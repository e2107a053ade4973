/** Addresses of an investigation for people who may sign in. */
export const reportLink = (id: string): string => `${location.origin}/investigation/${id}`;

/** @param moment the number of an entry of the timeline, from 1 */
export const momentLink = (id: string, moment: number): string => `${reportLink(id)}?moment=${moment}`;
