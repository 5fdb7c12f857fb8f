import type { TestUser } from '@posthorn/testkit'
import { startPart } from './start-part.ts'

/** Number of concurrent logins at the mail server, which is the same as in the sync-worker. */
export const loginsAtOnce = 10

/**
 * Logs in one plain IMAP client per user in a separate process, puts all clients into IDLE, and
 * ends the process.
 */
export async function connectPlainClients(
  users: readonly TestUser[],
): Promise<{ ms: number; bytes: number }> {
  await using clients = await startPart('plain-clients-main.ts')
  return await clients.request(users)
}
