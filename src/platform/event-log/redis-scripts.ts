/**
 * Scripts that run atomically on the server: no other command comes between theirs, so a stream's events are stored in
 * id order. They access keys by computed names, which a single Redis server allows; Redis Cluster is not supported.
 */

/** Prefix of every key. */
export const prefix = 'casebook:events:';
/** Pub/sub channel of all streams; the message is the names of those that grew, separated by NUL. */
export const channel = 'casebook:events';
/** Sorted set of the streams by the time of their last event, in milliseconds. */
export const activeKey = `${prefix}active`;
export const streamKey = (stream: string): string => `${prefix}stream:${stream}`;
/** Set of the idempotency keys a stream has had. */
export const keysKey = (stream: string): string => `${prefix}keys:${stream}`;

/**
 * KEYS: active. ARGV: channel, prefixes of streams and of keys, then stream, type, data and key ('' for none) per event.
 * One message names every stream that grew; no name contains NUL.
 */
export const appendScript = `
local grown, names = {}, {}
for i = 4, #ARGV, 4 do
  local stream, key = ARGV[i], ARGV[i + 3]
  if key == '' or redis.call('SADD', ARGV[3] .. stream, key) == 1 then
    redis.call('XADD', ARGV[2] .. stream, '*', 'type', ARGV[i + 1], 'data', ARGV[i + 2])
    if not grown[stream] then
      grown[stream] = true
      names[#names + 1] = stream
    end
  end
end
if #names > 0 then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  for _, stream in ipairs(names) do redis.call('ZADD', KEYS[1], now, stream) end
  redis.call('PUBLISH', ARGV[1], table.concat(names, '\\0'))
end`;

/**
 * KEYS: streams. ARGV: maximum events, bytes at which a page ends, then the start position per stream. Returns per
 * stream: 1 if the page ended at a bound, else 0, and the entries.
 */
export const pagesScript = `
local function page(stream, from)
  local entries, bytes = {}, 0
  while true do
    local some = redis.call('XRANGE', stream, from, '+', 'COUNT', 16)
    for _, entry in ipairs(some) do
      entries[#entries + 1] = entry
      bytes = bytes + #entry[2][4]
      if #entries >= tonumber(ARGV[1]) or bytes >= tonumber(ARGV[2]) then return {1, entries} end
      from = '(' .. entry[1]
    end
    if #some < 16 then return {0, entries} end
  end
end
local pages = {}
for i, stream in ipairs(KEYS) do pages[i] = page(stream, ARGV[i + 2]) end
return pages`;

/**
 * KEYS: active. ARGV: time in milliseconds, maximum streams, prefixes of streams and of keys. Returns how many were
 * deleted.
 */
export const expireScript = `
local streams = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[1], 'LIMIT', 0, ARGV[2])
for _, stream in ipairs(streams) do
  redis.call('UNLINK', ARGV[3] .. stream, ARGV[4] .. stream)
  redis.call('ZREM', KEYS[1], stream)
end
return #streams`;
