import { afterAll, expect, test } from '@jest/globals'
import { defaultProviderLimits } from '@posthorn/backends/provider-limits'
import { faultSize, isFullFaultRun } from '@posthorn/testkit'
import { startGmailFake } from '@posthorn/testkit/providers/gmail'
import { apiFixture } from './api-fixture.ts'
import { LendingWorker } from './lending-worker.ts'
import {
  idIn,
  messages,
  runKilledSenders,
  submitAll,
  untilSent,
  withFiles,
} from './killed-senders.ts'

const addresses = ['a@mail.example', 'b@mail.example']
/** Quota units of a Gmail mailbox per minute. The messages of an account need more units. */
const accountUnits = faultSize({ small: 1_800, full: 9_000 })
/**
 * Maximum quota units of delayed Gmail requests, which count in the time window of their arrival.
 */
const maxDelayedUnits = faultSize({ small: 400, full: 1_000 })
const gmail = await startGmailFake({ accountUnits: accountUnits + maxDelayedUnits })
gmail.switches.limits = true
const startedAt = { real: performance.now(), fake: gmail.clock.now }
/** The clock of the Gmail fake follows real time, also on a busy machine. */
const clock = setInterval(() => {
  const elapsedMs = performance.now() - startedAt.real
  gmail.clock.advance(startedAt.fake + elapsedMs - gmail.clock.now)
}, 20)
const fixture = await apiFixture()
afterAll(async () => {
  clearInterval(clock)
  await fixture[Symbol.asyncDispose]()
  await gmail[Symbol.asyncDispose]()
})

const methods = ['drafts.create', 'drafts.send', 'messages.get']
/** Operations of Gmail at which senders are killed. A full run repeats some of them. */
const moments = [
  ...methods,
  ...(isFullFaultRun ? [...methods, ...methods] : []),
  'drafts.create#upload',
].map((method) => `gmail.users.${method}`)

/**
 * Makes the search index of the Gmail fake lack the draft at the next lookup after a kill, in half
 * of the cases.
 */
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

/** Stores a draft in the Gmail fake as the owner of the mailbox. */
function storeDraft(account: string, raw: Buffer) {
  const mailbox = gmail.mailboxes.get(fixture.users.get(account) ?? '')
  return { messageId: mailbox?.deliver(raw, { labels: ['DRAFT'] }).id ?? '' }
}

test(`Gmail, senders and the worker that lends killed ${2 * moments.length} times in ${messages} messages, within the limits, some uploaded, some stored drafts: each is sent exactly once, no draft is left`, async () => {
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
      list.filter(({ labels }) => labels.has('DRAFT')).map(({ id }) => id),
    )
  const limits = {
    ...defaultProviderLimits,
    gmail: { ...defaultProviderLimits.gmail, accountUnits },
  }
  await using worker = new LendingWorker({ url: fixture.broker.url, limits, accounts })
  const hide = hideDrafts()
  const options = {
    env: fixture.env({ SVC_PROVIDER_LIMITS: JSON.stringify({ gmail: { accountUnits } }) }),
    origins: { 'https://gmail.googleapis.com': gmail.origin },
    fake: gmail.fake,
    moments,
    onKill: (path: string) => {
      hide(path)
      worker.replace()
    },
  }
  expect(await runKilledSenders(options, () => untilSent(fixture, drafts))).toEqual([])
  expect(gmail.sent.map(({ raw }) => idIn(raw)).toSorted()).toEqual(ids.toSorted())
  const refused = gmail.fake.log.filter(({ status }) => status === 403 || status === 429)
  expect(refused.map(({ operation }) => operation)).toEqual([])
  expect(worker.loans).toBeGreaterThan(messages)
}, 900_000)
