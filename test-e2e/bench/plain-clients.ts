import type { TestUser } from '@posthorn/testkit'
import { startPart } from './start-part.ts'

/** Concurrent logins, the same number as in the worker. */
export const loginsAtOnce = 10

/** Logs in a plain client per user in a separate process, puts all into IDLE, and ends them. */
export async function connectPlainClients(
  users: readonly TestUser[],
): Promise<{ ms: number; bytes: number }> {
  await using clients = await startPart('plain-clients-main.ts')
  return await clients.request(users)
}
