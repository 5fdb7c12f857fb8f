import type { Secret } from '@posthorn/config'
import { EmailEngineStore } from './emailengine-store.ts'
import { ValueUnsealer } from './sealed-values.ts'
import { assertSecret } from './store/assert-secret.ts'
import { connectRedis, type RedisAddress } from './store/connect.ts'
import { findPrefix } from './store/find-prefix.ts'
import { keysOf } from './store/keys.ts'
import { RedisReader } from './store/redis-reader.ts'

export interface StoreOptions extends RedisAddress {
  /** Prefix of EmailEngine's keys in Redis (`EENGINE_REDIS_PREFIX`). */
  prefix?: string | undefined
  /**
   * Secret with which EmailEngine encrypts values (`EENGINE_SECRET`). Not required without
   * encryption.
   */
  secret?: Secret | undefined
}

/**
 * Connects to the Redis of an EmailEngine instance, which may be running. Nothing is written.
 *
 * @throws AppError `invalid` for a wrong URL or secret, `unauthorized`, `not-found` if there is no
 *   data of EmailEngine, `unreachable`
 */
export async function openStore({
  prefix = '',
  secret,
  ...address
}: StoreOptions): Promise<EmailEngineStore> {
  const reader = new RedisReader(await connectRedis(address))
  try {
    const keys = keysOf(await findPrefix(reader, prefix))
    const unsealer = new ValueUnsealer(secret)
    await assertSecret({ reader, keys, unsealer })
    return new EmailEngineStore({ reader, keys, unsealer })
  } catch (error) {
    reader.close()
    throw error
  }
}
