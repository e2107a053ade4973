import type { Room, RoomCore } from '../../room.ts';
import { CitationExtraction } from './entities.ts';
import { createExcerptMatcher, type ExcerptMatcher } from './excerpt-matcher.ts';
import { purgeExtractions } from './extract.ts';
import { createExcerptChooser } from './launch.ts';
import { citationEndpoints } from './routes.ts';

/** By then, callers have their excerpts or have disconnected. */
const EXTRACTIONS_KEPT_MS = 24 * 3_600_000;

export const citationsRoom = {
  name: 'citations',
  endpoints: citationEndpoints,
  entities: [CitationExtraction],
  build({ config: { model, temporal, timeouts }, client, closing, ...given }: RoomCore & { matcher?: ExcerptMatcher }) {
    const matcher = given.matcher ?? createExcerptMatcher();
    if (!given.matcher) closing.defer(() => matcher.close());
    const chooser =
      model.apiKey || model.baseUrl ? createExcerptChooser(client, temporal.taskQueue, timeouts.temporalMs) : undefined;
    return { matcher, citations: { matcher, chooser } };
  },
  sweeps: [({ orm, clock }: RoomCore) => purgeExtractions(orm, new Date(clock.now().getTime() - EXTRACTIONS_KEPT_MS))],
} satisfies Room;
