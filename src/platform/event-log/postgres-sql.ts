/**
 * Appends a batch: one row per event in parallel arrays $1 streams, $2 types, $3 data, $4 sizes, $5 keys; $6 channel.
 *
 * The upsert locks the streams' rows in name order, so that two batches cannot deadlock. A stream's row stays locked
 * until the commit, so events become visible in sequence order. A duplicate key uses up a sequence number, which leaves
 * a gap but no disorder. A new stream counts from the current time, so that a stream that expired and came back never
 * reuses an id.
 */
export const appendSql = `
with added as materialized (
  select * from unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::text[]) with ordinality
    as added (stream, type, data, size, key, position)
), counted as materialized (
  select stream, count(*) as events from added group by stream order by stream
), locked as (
  insert into event_streams as s (stream, last_sequence, updated_at)
  select stream, (extract(epoch from clock_timestamp()) * 1000)::bigint + events, clock_timestamp()
  from counted order by stream
  on conflict (stream) do update set
    last_sequence = s.last_sequence + (select events from counted where counted.stream = s.stream),
    updated_at = excluded.updated_at
  returning s.stream, s.last_sequence
), inserted as (
  insert into events (stream, sequence, type, data, size, key, created_at)
  select stream,
    last_sequence - events + row_number() over (partition by stream order by position),
    type, data, size, key, clock_timestamp()
  from locked join counted using (stream) join added using (stream)
  order by stream, position
  on conflict (stream, key) where key is not null do nothing
  returning stream
)
select pg_notify($6, stream) from (select distinct stream from inserted) as grown`;

/** Events of stream $1 after $2, at most $3. */
export const readSql = `
select sequence, type, data, created_at from events
where stream = $1 and sequence > $2 order by sequence limit $3`;

/**
 * One page for each of the parallel arrays $1 streams and $2 ids: at most $3 events, ending with the one that brings
 * the page to $4 bytes. \`request\` is the position in the arrays, from 1. Sizes are a column so that the data of
 * events beyond the page is not read.
 */
export const pagesSql = `
select wanted.request::integer, page.sequence, page.type, page.data, page.size, page.created_at
from unnest($1::text[], $2::bigint[]) with ordinality as wanted (stream, after, request)
cross join lateral (
  select * from (
    select *, sum(next.size) over (order by next.sequence) - next.size as before
    from (
      select sequence, type, data, size, created_at from events
      where events.stream = wanted.stream and events.sequence > wanted.after
      order by events.sequence limit $3
    ) as next
  ) as summed
  where before < $4
) as page
order by wanted.request, page.sequence`;

/**
 * Deletes up to $2 streams without an event since $1, in name order starting after the name $3; skips those being
 * appended to. Returns them in name order.
 */
export const expireStreamsSql = `
with old as materialized (
  select stream from event_streams where updated_at < $1 and stream > $3 order by stream limit $2
  for update skip locked
), expired as (
  delete from event_streams using old where event_streams.stream = old.stream returning event_streams.stream
)
select stream from expired order by stream`;

/** Deletes the streams $1, in the order in which appends lock them. */
export const removeStreamsSql = `
with locked as materialized (select stream from event_streams where stream = any($1::text[]) order by stream for update)
delete from event_streams using locked where event_streams.stream = locked.stream`;

/** A separate statement after the streams are deleted, to see every event stored before they were locked. */
export const deleteEventsSql = 'delete from events where stream = any($1::text[])';
