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

/**
 * Locks the table of accounts, so that a test can cause an outage while Postgres executes a read.
 */
export async function lockAccounts(ownerUrl: string): Promise<AccountsLock> {
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const session = withClient(ownerUrl, async (client) => {
    await client.query('begin')
    await client.query('lock table accounts in access exclusive mode')
    locked.resolve()
    await released.promise
  })
  session.catch(locked.reject)
  await locked.promise
  return {
    untilAwaited: () =>
      withClient(ownerUrl, (client) =>
        eventually(async () => {
          const { rows } = await client.query(
            `select from pg_stat_activity where datname = current_database()
              and usename = 'posthorn_api_gateway' and wait_event_type = 'Lock'`,
          )
          expect(rows).not.toEqual([])
        }),
      ),
    async release() {
      released.resolve()
      await session.catch(() => undefined)
    },
  }
}
