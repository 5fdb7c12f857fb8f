import { afterAll, afterEach, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import type { GmailMailbox } from '@posthorn/testkit/providers/gmail'
import { mime } from './api-world.ts'
import { gmailWorld } from './gmail-world.ts'
import { apiApplication } from './world.ts'

// Accounts whose access token belongs to the mailbox of another user, such as after a sign-in with
// the wrong address.

const world = await gmailWorld()
const { gmail } = world
afterEach(() => world.reset())
afterAll(() => world.close())

const startWorker = () => world.startGmailWorker({ apiPollMs: 200 })

/**
 * Makes the fake of auth-bridge return an access token of this Gmail mailbox for the account from
 * now on.
 */
function setToken(account: string, { address }: GmailMailbox, user = address): void {
  world.credentials.set(account, {
    user,
    accessToken: gmail.grant(address),
    own: true,
    expires: new Date(Date.now() + 3_600_000).toISOString(),
    application: apiApplication,
  })
}

async function untilRejected(account: string, { address }: GmailMailbox): Promise<void> {
  await eventually(async () => {
    const { state, lastError } = (await world.state(account)) ?? {}
    const reported = `${state} ${JSON.stringify(lastError)}`
    expect(reported).toMatch(/^authenticationError /)
    expect(reported).toContain(`belongs to the mailbox ${address}`)
  })
}

const indexed = async (account: string) => {
  const rows = await world.db
    .selectFrom('apiLeaves')
    .select('content')
    .where('account', '=', account)
    .where('part', '=', '')
    .execute()
  return rows.map(({ content }) => content.toString('hex'))
}

/** Events of an account about messages and mailboxes. */
const changes = async (account: string) =>
  (await world.events(account)).filter(({ event }) => /^(message|mailbox)/.test(event))

test.each([
  ['an empty mailbox', 0],
  ['a mailbox with other messages', 3],
])(
  'a token of %s: the index stays, nothing is announced, a correct token continues',
  async (_name, count) => {
    const worker = await startWorker()
    const { account, mailbox } = await world.register()
    await world.expectEvents(account, ['accountInitialized'], 1)
    for (let at = 0; at < 3; at++) mailbox.deliver(mime(`old ${at}`))
    await world.expectEvents(account, ['messageNew'], 3)
    await world.stopWorker(worker)
    const [before, events] = [await indexed(account), await changes(account)]
    expect(before).not.toEqual([])

    const other = gmail.addMailbox(`other-${count}@mail.example`)
    for (let at = 0; at < count; at++) other.deliver(mime(`secret ${at}`))
    setToken(account, other, mailbox.address)
    await startWorker()
    await untilRejected(account, other)
    expect(await indexed(account)).toEqual(before)
    expect(await changes(account)).toEqual(events)
    expect((await world.state(account))?.mailboxAddress).toBeNull()

    setToken(account, mailbox)
    await world.touch(account)
    const { id } = mailbox.deliver(mime('new'))
    await eventually(async () => expect((await world.state(account))?.state).toBe('connected'))
    const news = await world.expectEvents(account, ['messageNew'], 4)
    expect(news.at(-1)?.data).toMatchObject({ id })
    expect(await changes(account)).toHaveLength(events.length + 1)
  },
)

test('a token of another mailbox at the first login: rejected if an address is expected', async () => {
  const [mailbox, other] = ['expected', 'unexpected'].map((name) =>
    gmail.addMailbox(`${name}@mail.example`),
  ) as [GmailMailbox, GmailMailbox]
  other.deliver(mime('secret'))
  const user = 'alias@mail.example'
  const accessToken = gmail.grant(other.address)
  const account = await world.registerApi('gmail', { user, accessToken, own: true })
  await world.db
    .updateTable('accounts')
    .set({ expectedEmail: mailbox.address })
    .where('account', '=', account)
    .execute()
  await startWorker()
  await untilRejected(account, other)
  expect(await indexed(account)).toEqual([])
  expect(await world.events(account, 'messageNew')).toEqual([])

  setToken(account, mailbox, user)
  await world.touch(account)
  await world.connected(account)
  expect((await world.state(account))?.mailboxAddress).toBe(mailbox.address)
})
