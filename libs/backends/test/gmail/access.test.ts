import { expect, test } from '@jest/globals'
import { providerFaults } from '@posthorn/testkit/providers'
import { gmailFailures } from '@posthorn/testkit/providers/gmail'
import { mail, signal } from '../mail-api/environment.ts'
import { startGmail } from './gmail-setup.ts'

const once = (response: Parameters<typeof providerFaults.replies>[0]) =>
  providerFaults.times(1, providerFaults.replies(response))

test('token that expires, is renewed once per request', async () => {
  await using setup = await startGmail()
  const { gmail, api, logins } = setup
  gmail.on('getProfile', once(gmailFailures.unauthorized()))
  await api.profile(signal)
  expect(logins.map(({ fresh }) => fresh)).toEqual([false, true])
  setup.setToken('revoked')
  const calls = [api.profile(signal), api.folders(signal), api.getMessages(['1'], {}, signal)]
  const results = await Promise.allSettled(calls)
  for (const result of results)
    expect(result).toMatchObject({ reason: { failure: 'token-rejected' } })
  expect(gmail.fake.log.filter(({ status }) => status === 401)).toHaveLength(1 + 3 * 2)
})

test('token of another mailbox, is refused instead of reading that one', async () => {
  await using setup = await startGmail()
  setup.gmail.addMailbox('eve@mail.example').deliver(mail('secret'))
  setup.setToken(setup.gmail.grant('eve@mail.example'))
  await expect(setup.api.listIds({}, { limit: 10 }, signal)).rejects.toMatchObject({
    failure: 'access-denied',
    kind: 'provider',
    status: 403,
  })
})

test('delegation that Gmail refuses, fails with its text and without a repeat', async () => {
  await using setup = await startGmail()
  const { gmail, mailbox, api, logins } = setup
  gmail.on('*', providerFaults.replies(gmailFailures.delegationDenied(mailbox.address)))
  await expect(api.profile(signal)).rejects.toMatchObject({
    failure: 'access-denied',
    extras: { info: { response: `Delegation denied for ${mailbox.address}` } },
  })
  expect(gmail.fake.log).toHaveLength(1)
  expect(logins.map(({ fresh }) => fresh)).toEqual([false])
})

test('limit with a delay in the header or the text, or without one', async () => {
  await using setup = await startGmail({ priority: 'caller', timeoutMs: 5_000 })
  const { gmail, api } = setup
  const date = new Date('2026-11-01T12:00:00Z')
  const inText = gmailFailures.rateLimitedUntil(new Date(date.getTime() + 90_000))
  const dated = { ...inText, headers: { ...inText.headers, date: date.toUTCString() } }
  for (const [response, retryAfterMs] of [
    [gmailFailures.tooManyRequests('120'), 120_000],
    [dated, 90_000],
    [gmailFailures.dailyLimit(), 3_600_000],
  ] as const) {
    gmail.on('labels.list', once(response))
    const failure = { failure: 'rate-limited', retryAfterMs, kind: 'rate-limited' }
    await expect(api.folders(signal)).rejects.toMatchObject(failure)
  }
  // A Gmail request that was refused without a retry time is repeated after a backoff.
  const before = gmail.requests('labels.list').length
  gmail.on('labels.list', once(gmailFailures.tooManyRequests()))
  expect(await api.folders(signal)).not.toEqual([])
  expect(gmail.requests('labels.list')).toHaveLength(before + 2)
})

test('token with the metadata scope, fails with the text of Gmail and without a repeat', async () => {
  await using setup = await startGmail()
  const { gmail, mailbox, api } = setup
  const { id } = mailbox.deliver(mail('a'))
  const scopes = ['gmail.metadata', 'gmail.modify']
  setup.setToken(
    gmail.grant(
      mailbox.address,
      scopes.map((name) => `https://www.googleapis.com/auth/${name}`),
    ),
  )
  const search = { unseen: true }
  const denied = { failure: 'access-denied', kind: 'provider', status: 403 }
  await expect(api.listIds({ search }, { limit: 10 }, signal)).rejects.toMatchObject({
    ...denied,
    extras: { info: { response: expect.stringContaining("'q' parameter") } },
  })
  await expect(api.getMessage(id, { attachments: true }, signal)).rejects.toMatchObject(denied)
  expect(gmail.fake.log).toHaveLength(2)
  expect(await api.getMessage(id, {}, signal)).toMatchObject({ id, unseen: true })
})

test('healthy mailbox reported as disabled once, is used', async () => {
  await using setup = await startGmail()
  const { gmail, api } = setup
  gmail.on('labels.list', once(gmailFailures.mailServiceDisabled()))
  expect(await api.folders(signal)).not.toEqual([])
  gmail.on('drafts.create', once(gmailFailures.mailServiceDisabled()))
  await api.depositDraft(Buffer.from(mail('a')), {}, signal)
  gmail.on('drafts.create#upload', once(gmailFailures.mailServiceDisabled()))
  const large = Buffer.concat([Buffer.from(mail('b')), Buffer.alloc(4_000_000, 'x')])
  await api.depositDraft(large, {}, signal)
  expect(setup.mailbox.messages.size).toBe(2)
})

test('front end that responds with HTML or cut JSON, is temporary', async () => {
  await using setup = await startGmail()
  const { gmail, api } = setup
  const html = { status: 500, headers: { 'content-type': 'text/html' }, body: '<html>' }
  gmail.on('labels.list', once(html))
  gmail.on('labels.list', providerFaults.times(1, providerFaults.truncatesAfter(50)))
  gmail.on('labels.list', providerFaults.times(1, providerFaults.resets('before')))
  expect(await api.folders(signal)).not.toEqual([])
  gmail.on('labels.list', providerFaults.replies(html))
  await expect(api.folders(signal)).rejects.toMatchObject({ failure: 'unavailable', status: 500 })
})

test('members of the wrong type or missing, never become ids or texts', async () => {
  await using setup = await startGmail()
  const { gmail, api } = setup
  const deviates = (method: string, body: object, count = 1) =>
    gmail.on(method, providerFaults.times(count, providerFaults.deviates({ body })))
  deviates('labels.list', { labels: [{ id: 'a b', name: 'x' }, { id: 'INBOX' }] })
  expect((await api.folders(signal)).map(({ id }) => id)).toEqual(['INBOX'])
  // A Gmail message list that has an entry without an id is requested four times.
  const list = { messages: [{}, { id: 'é' }], nextPageToken: 'x'.repeat(9_000) }
  deviates('messages.list', list, 4)
  await expect(api.listIds({}, { limit: 10 }, signal)).rejects.toMatchObject({
    failure: 'unavailable',
    incomplete: true,
  })
  deviates('getProfile', { emailAddress: '' })
  await expect(api.profile(signal)).rejects.toMatchObject({ failure: 'unavailable' })
  deviates('watch', {})
  await expect(api.watch('', signal)).rejects.toMatchObject({ failure: 'unavailable' })
  deviates('drafts.create', { id: 'r1' })
  const deposit = api.depositDraft(Buffer.from(mail('a')), {}, signal)
  await expect(deposit).rejects.toMatchObject({ failure: 'unavailable' })
})

test('listMessages: message deleted between list and get, is left out', async () => {
  await using setup = await startGmail()
  const { gmail, mailbox, api } = setup
  const ids = ['a', 'b', 'c'].map((name) => mailbox.deliver(mail(name)).id)
  gmail.on('batch', () => {
    const message = mailbox.messages.get(ids[1] ?? '')
    if (message) mailbox.remove(message)
    return undefined
  })
  const { entries } = await api.listMessages({}, { limit: 10 }, signal)
  expect(entries.map(({ id }) => id)).toEqual([ids[2], ids[0]])
})

test('listIds: page token that has expired, is stale; of a lookup by ids, counts', async () => {
  await using setup = await startGmail()
  const { gmail, mailbox, api } = setup
  const ids = ['a', 'b', 'c'].map((name) => mailbox.deliver(mail(name)).id)
  const { nextPageToken = '' } = await api.listIds({}, { limit: 1 }, signal)
  gmail.pageTokens.clear()
  const page = { limit: 1, pageToken: nextPageToken }
  await expect(api.listIds({}, page, signal)).rejects.toMatchObject({
    failure: 'stale-page',
    kind: 'provider',
    status: 400,
  })
  const search = { emailIds: ids }
  const first = await api.listIds({ search }, { limit: 2 }, signal)
  expect(first).toMatchObject({ nextPageToken: '2', total: 3 })
  const second = await api.listIds({ search }, { limit: 2, pageToken: '2' }, signal)
  expect(second.entries.map(({ id }) => id)).toEqual([ids[2]])
  const bad = api.listIds({ search }, { limit: 2, pageToken: '-1' }, signal)
  await expect(bad).rejects.toMatchObject({ failure: 'stale-page' })
})

test('listIds: lookup by id or thread with other terms, checks them', async () => {
  await using setup = await startGmail()
  const { mailbox, api } = setup
  const { id, threadId } = mailbox.deliver(mail('a'))
  mailbox.insert(Buffer.from(mail('b')), { threadId, labels: ['SENT'], internalDate: 0 })
  const count = async (search: object) =>
    (await api.listIds({ search }, { limit: 10 }, signal)).entries.length
  expect(await count({ emailId: id })).toBe(1)
  expect(await count({ emailId: id, unseen: true, flagged: false, larger: 10 })).toBe(1)
  expect(await count({ emailId: id, seen: true })).toBe(0)
  expect(await count({ emailId: id, labels: { has: ['SENT'] } })).toBe(0)
  expect(await count({ threadId })).toBe(2)
  expect(await count({ threadId, since: new Date(1_000) })).toBe(1)
  expect(await count({ threadId, before: new Date(1_000), labels: { not: ['INBOX'] } })).toBe(1)
  expect(await count({ threadId: '18c0ffee00000001' })).toBe(0)
  expect(await count({ emailId: 'no id', smaller: 0 })).toBe(0)
})
