/** What else reaches a database that Casebook itself may not, where its operator could allow it. */
export const orThroughSatellite = (message: string): string =>
  message.includes('CASEBOOK_OUTBOUND_ALLOW')
    ? `${message} Or connect it through a satellite that reaches it.`
    : message;
