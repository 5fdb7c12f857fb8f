import { afterAll, expect, test } from '@jest/globals'
import { startGmailFake } from '@posthorn/testkit/providers/gmail'
import { apiFixture } from './api-fixture.ts'
import { idIn, runKilledSenders, submitAll, untilSent, withFiles } from './killed-senders.ts'

const addresses = ['a@mail.example', 'b@mail.example']
const gmail = await startGmailFake()
const fixture = await apiFixture()
afterAll(async () => {
  await fixture[Symbol.asyncDispose]()
  await gmail[Symbol.asyncDispose]()
})

const methods = ['drafts.create', 'drafts.send', 'messages.get']
const moments = [...methods, ...methods, ...methods, 'drafts.create#upload'].map(
  (method) => `gmail.users.${method}`,
)

/** Lets the index lack the draft at the next lookup after a kill, in half of the cases. */
function hideDrafts(): (path: string) => void {
  const hidden = new Set<string>()
  gmail.on('drafts.list', ({ params: { userId = '' } }) =>
    hidden.delete(userId)
      ? { kind: 'reply', response: { body: { resultSizeEstimate: 0 } } }
      : undefined,
  )
  let kills = 0
  return (path) => {
    const user = addresses.find((each) => path.includes(encodeURIComponent(each)))
    if (user !== undefined && (kills += 1) % 2 === 0) hidden.add(user)
  }
}

/** Stores a draft of the owner. */
function storeDraft(account: string, raw: Buffer) {
  const mailbox = gmail.mailboxes.get(fixture.users.get(account) ?? '')
  return { messageId: mailbox?.deliver(raw, { labels: ['DRAFT'] }).id ?? '' }
}

test('Gmail, senders killed 20 times in 200 messages, 20 uploaded, 40 stored drafts: each is sent exactly once, no draft is left', async () => {
  const accounts: string[] = []
  for (const address of addresses) {
    const { account } = await fixture.addAccount()
    gmail.addMailbox(address)
    fixture.users.set(account, address)
    fixture.tokens.set(account, gmail.grant(address))
    accounts.push(account)
  }
  const ids = await submitAll(fixture, { accounts, large: withFiles([3_000_000]), storeDraft })
  const drafts = () =>
    [...gmail.mailboxes.values()].flatMap(({ list }) =>
      list.filter(({ labels }) => labels.has('DRAFT')),
    )
  // The limits are not measured here.
  const units = { accountUnits: 1_000_000_000, applicationUnits: 1_000_000_000 }
  const options = {
    env: fixture.env({ SVC_PROVIDER_LIMITS: JSON.stringify({ gmail: units }) }),
    origins: { 'https://gmail.googleapis.com': gmail.origin },
    fake: gmail.fake,
    moments,
    onKill: hideDrafts(),
  }
  expect(moments).toHaveLength(10)
  expect(await runKilledSenders(options, () => untilSent(fixture, drafts))).toEqual([])
  expect(gmail.sent.map(({ raw }) => idIn(raw)).toSorted()).toEqual(ids.toSorted())
}, 900_000)
