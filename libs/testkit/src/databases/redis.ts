import { type Redis, startRedis } from '@posthorn/local'
import { serverDirectories } from '../private-server.ts'

/**
 * Starts a Redis for tests of the import from EmailEngine. The caller ends it with `destroy`.
 */
export async function startTestRedis(): Promise<Redis> {
  return startRedis(await serverDirectories('redis'))
}
