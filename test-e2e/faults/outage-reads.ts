import { expect } from '@jest/globals'
import { withClient } from '@posthorn/local/postgres/client'
import { eventually } from '@posthorn/testkit'

/** Lock on the table of accounts in Postgres. Reads of the API wait for this lock. */
export interface AccountsLock {
  /** Waits until a statement of api-gateway waits for the lock on the table of accounts. */
  untilAwaited(): Promise<void>
  /** Releases the lock on the table of accounts, also after an outage of Postgres. */
  release(): Promise<void>
}

type Watcher = Parameters<Parameters<typeof withClient>[1]>[0]

/**
 * Locks the table of accounts, so that a test can cause an outage while Postgres executes a read.
 */
export async function lockAccounts(ownerUrl: string): Promise<AccountsLock> {
  const locked = Promise.withResolvers<Watcher>()
  const released = Promise.withResolvers<void>()
  const session = withClient(ownerUrl, async (client) => {
    await client.query('begin')
    await client.query('lock table accounts in access exclusive mode')
    // The Postgres connection that watches an API read is opened first, because a read waits for at
    // most 2 s.
    await withClient(ownerUrl, async (watcher) => {
      locked.resolve(watcher)
      await released.promise
    })
  })
  session.catch(locked.reject)
  const watcher = await locked.promise
  return {
    async untilAwaited() {
      await eventually(async () => {
        const { rows } = await watcher.query(
          `select from pg_stat_activity where datname = current_database()
            and usename = 'posthorn_api_gateway' and wait_event_type = 'Lock'`,
        )
        expect(rows).not.toEqual([])
      })
    },
    async release() {
      released.resolve()
      await session.catch(() => undefined)
    },
  }
}
