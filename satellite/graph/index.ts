/** The live dependency graph, from the connectors' metrics and from spans sent to the satellite. */
export { graphConfig } from './config.ts';
export { createGraphFeed } from './feed.ts';
