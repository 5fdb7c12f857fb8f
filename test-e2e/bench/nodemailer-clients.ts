import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestUser } from '@posthorn/testkit'

/** So many logins at the same time, as our own worker is allowed. */
export const loginsAtOnce = 10

/** Logs in a bare client for each user in a process of their own, puts all of them into IDLE, and ends them. */
export async function connectBareClients(
  users: readonly TestUser[],
): Promise<{ ms: number; bytes: number }> {
  const child = fork(join(import.meta.dirname, 'bare-clients-main.ts'))
  await once(child, 'message')
  child.send(users)
  const [report] = (await once(child, 'message')) as [{ ms: number; bytes: number }]
  child.disconnect()
  await once(child, 'exit')
  return report
}
