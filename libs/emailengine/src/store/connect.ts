import { createClient, ErrorReply, RESP_TYPES } from '@redis/client'
import { AppError, messageOf } from '@posthorn/errors'
import { UnreadableError } from '../unreadable-error.ts'

/** Time after which a Redis that does not respond counts as unreachable, in milliseconds. */
const defaultTimeoutMs = 30_000

export type RedisConnection = Awaited<ReturnType<typeof connectRedis>>

export interface RedisAddress {
  /** Redis URL: `redis:` or `rediss:` with login and database number. */
  url: string
  /** CA certificates of the Redis server in PEM format for `rediss:`, instead of the usual CAs. */
  ca?: string | undefined
}

/**
 * Connects to Redis. Values are read as bytes, because some values are MessagePack.
 *
 * @throws AppError `invalid` for an invalid URL, `unauthorized` for a wrong login, `unreachable`
 */
export async function connectRedis(
  { url, ca }: RedisAddress,
  { timeoutMs = defaultTimeoutMs }: { timeoutMs?: number } = {},
) {
  const isEncrypted = assertRedisUrl(url) === 'rediss:'
  const limits = {
    connectTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    reconnectStrategy: false,
  } as const
  const client = createClient({
    url,
    RESP: 2, // Redis 6 with a user list may refuse HELLO.
    disableClientInfo: true,
    // Keeps the Redis connection alive while the caller works on a page of entities.
    pingInterval: timeoutMs / 3,
    commandOptions: { timeout: 0 }, // A timer per Redis command takes most of the CPU time.
    socket: isEncrypted ? { ...limits, tls: true, ...(ca !== undefined && { ca }) } : limits,
  })
  // Errors of the Redis connection reject the pending commands, which report the errors.
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (cause) {
    endConnection(client)
    throw connectionError(cause)
  }
  return client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer })
}

/**
 * Ends a Redis connection, also if the connection is lost already: its timers would keep the
 * process running.
 */
export function endConnection(connection: { destroy: () => void }): void {
  try {
    connection.destroy()
  } catch {
    // A lost Redis connection cannot be closed, but its timers have ended now.
  }
}

/** Returns the protocol of a Redis URL. */
function assertRedisUrl(url: string): string {
  const { protocol, pathname } = URL.parse(url) ?? {}
  if (protocol !== 'redis:' && protocol !== 'rediss:')
    throw new AppError('invalid', 'The Redis URL must start with redis:// or rediss://')
  if (!/^\/?\d*$/.test(pathname ?? ''))
    throw new AppError('invalid', 'The path of the Redis URL must be a database number')
  return protocol
}

function connectionError(cause: unknown): AppError {
  if (!(cause instanceof ErrorReply))
    return new AppError('unreachable', `Redis is not reachable: ${messageOf(cause)}`, { cause })
  const isLogin = /^(?:WRONGPASS|NOAUTH|ERR AUTH)/.test(cause.message)
  return isLogin
    ? new AppError('unauthorized', 'Redis rejected the login: check user and password in the URL', {
        cause,
      })
    : refusal(cause)
}

/**
 * Converts the error of a Redis command: an error of one key, a refused command or a lost
 * connection.
 */
export function commandError(cause: unknown): Error {
  if (!(cause instanceof ErrorReply)) return connectionError(cause)
  return cause.message.startsWith('WRONGTYPE')
    ? new UnreadableError('the key in Redis has another type')
    : refusal(cause)
}

const refusal = (cause: Error) =>
  new AppError('rejected', `Redis rejected a command: ${cause.message}`, { cause })
