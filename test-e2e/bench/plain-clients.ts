import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestUser } from '@posthorn/testkit'

/** Concurrent logins, the same number as in the worker. */
export const loginsAtOnce = 10

/** Logs in a plain client per user in a separate process, puts all into IDLE, and ends them. */
export async function connectPlainClients(
  users: readonly TestUser[],
): Promise<{ ms: number; bytes: number }> {
  const child = fork(join(import.meta.dirname, 'plain-clients-main.ts'))
  await once(child, 'message')
  child.send(users)
  const [report] = (await once(child, 'message')) as [{ ms: number; bytes: number }]
  child.disconnect()
  await once(child, 'exit')
  return report
}
