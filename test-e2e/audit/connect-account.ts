import { eventually } from '@posthorn/testkit'
import type { World } from '../world.ts'

export interface ApiRegistration {
  account: string
  /** Id of the OAuth2 application of the account. */
  app: string
  address: string
  /**
   * OAuth2 refresh token of the account's owner. Not needed by applications with access to all
   * mailboxes.
   */
  refreshToken?: string
}

/** Registers an account of a mail API without waiting for its connection. */
export async function registerApiAccount(
  { posthorn }: Pick<World, 'posthorn'>,
  { account, app, address, ...tokens }: ApiRegistration,
): Promise<void> {
  const oauth2 = { provider: app, auth: { user: address }, ...tokens }
  await posthorn.createAccount({ body: { account, name: 'Jane', email: address, oauth2 } })
}

/** Waits until the mailbox of an account is synced for the first time. */
export async function untilSynced(
  { database }: World,
  account: string,
  timeoutMs = 150_000,
): Promise<void> {
  await eventually(
    async () => {
      const [row] = await database.query<{ state: string; initialized: boolean }>(
        'select state, initialized_at is not null as initialized from account_states where account = $1',
        [account],
      )
      if (!row?.initialized) throw new Error(`${account} is ${row?.state ?? 'new'}`)
    },
    { timeoutMs },
  )
}
