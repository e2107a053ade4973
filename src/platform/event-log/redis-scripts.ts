/**
 * Scripts run as one step of the server: nothing comes between their commands, so a stream's events are stored in the
 * order of their ids. They use a single Redis server's freedom to name any key; a Redis Cluster is not supported.
 */

/** Prefix of every key. */
export const prefix = 'casebook:events:';
/** Pub/sub channel of all streams; the message is the stream's name. */
export const channel = 'casebook:events';
/** Sorted set of the streams by the time of their last event, in milliseconds. */
export const activeKey = `${prefix}active`;
export const streamKey = (stream: string): string => `${prefix}stream:${stream}`;
/** Set of the idempotency keys a stream has had. */
export const keysKey = (stream: string): string => `${prefix}keys:${stream}`;

/** KEYS: stream, its set of keys, active. ARGV: channel, stream's name, then type, data and key ('' for none) per event. */
export const appendScript = `
local grown = false
for i = 3, #ARGV, 3 do
  if ARGV[i + 2] == '' or redis.call('SADD', KEYS[2], ARGV[i + 2]) == 1 then
    redis.call('XADD', KEYS[1], '*', 'type', ARGV[i], 'data', ARGV[i + 1])
    grown = true
  end
end
if grown then
  local time = redis.call('TIME')
  redis.call('ZADD', KEYS[3], time[1] * 1000 + math.floor(time[2] / 1000), ARGV[2])
  redis.call('PUBLISH', ARGV[1], ARGV[2])
end`;

/**
 * KEYS: stream. ARGV: where to start, most events, bytes after which the page ends.
 * Returns 1 when the page ended at a bound, else 0, and the entries.
 */
export const pageScript = `
local entries, bytes, from = {}, 0, ARGV[1]
while true do
  local some = redis.call('XRANGE', KEYS[1], from, '+', 'COUNT', 16)
  for _, entry in ipairs(some) do
    entries[#entries + 1] = entry
    bytes = bytes + #entry[2][4]
    if #entries >= tonumber(ARGV[2]) or bytes >= tonumber(ARGV[3]) then return {1, entries} end
    from = '(' .. entry[1]
  end
  if #some < 16 then return {0, entries} end
end`;

/** KEYS: active. ARGV: time in milliseconds, most streams, prefixes of streams and of keys. Returns how many went. */
export const expireScript = `
local streams = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[1], 'LIMIT', 0, ARGV[2])
for _, stream in ipairs(streams) do
  redis.call('UNLINK', ARGV[3] .. stream, ARGV[4] .. stream)
  redis.call('ZREM', KEYS[1], stream)
end
return #streams`;
