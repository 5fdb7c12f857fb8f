import { createHash, randomBytes } from 'node:crypto'
import { createGunzip } from 'node:zlib'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from '@jest/globals'
import { otherInstance } from '@posthorn/contracts/openapi/examples/cast'
import { operations } from '@posthorn/contracts/operations'
import { verifyWebhook } from '@posthorn/client'
import { eventually } from '@posthorn/testkit'
import { createApiApps, startProviderFakes } from '../provider-fakes.ts'
import { freshMessageId, plainMessage, registration, startWorld, untilConnected } from '../world.ts'
import { createExercisedClient } from './exercised-client.ts'

// Each operation of the API contracts, called through the typed client against the running system.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const address = 'ann@contoso.example'
const fakes = stack.use(await startProviderFakes({ mailboxes: [address], handshakes: false }))
const world = stack.use(
  await startWorld({
    env: fakes.env,
    envByService: { 'auth-bridge': { SVC_ACCOUNT_EXPORT_KEYS: otherInstance.publicKey } },
    settings: { serviceUrl: 'http://127.0.0.1:3000' },
  }),
)
const { posthorn, operations: exercised } = createExercisedClient(world)
const account = 'anna'
const user = world.mail.freshUser()
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('accounts: verified, registered, changed, followed', async () => {
  const registered = registration(account, user)
  const auth = { user: user.user, pass: user.pass }
  const tls = { rejectUnauthorized: false }
  const server = { host: user.host, secure: false, auth, tls }
  const servers = {
    imap: { ...server, port: user.imapPort },
    smtp: { ...server, port: user.submissionPort },
  }
  const verified = await posthorn.verifyAccount({ body: servers })
  expect(verified).toMatchObject({ imap: { success: true }, smtp: { success: true } })
  const states: unknown[] = []
  const followed = new AbortController()
  const { body } = await posthorn.followChanges({}, { signal: followed.signal })
  expect(body).toBeInstanceOf(ReadableStream)
  const isConnected = (async () => {
    // Reads from the first change on: the account may connect before the stream of changes does.
    for await (const change of posthorn.changes({ lastEventId: '0-0' })) {
      states.push(change.key)
      if (change.account === account && change.key === 'connected') return change.id
    }
  })()
  expect(await posthorn.createAccount({ body: registered })).toMatchObject({ account })
  expect(await isConnected).toEqual(expect.any(String))
  followed.abort()
  await untilConnected(world, account)
  await posthorn.updateAccount({ account, body: { name: 'Anna', logs: true } })
  expect(await posthorn.getAccount({ account, quota: true })).toMatchObject({ name: 'Anna' })
  const listed: string[] = []
  for await (const entry of posthorn.listAccounts.all({ pageSize: 1 })) listed.push(entry.account)
  expect(listed).toContain(account)
  await posthorn.syncAccount({ account, body: { sync: true } })
  await posthorn.reconnectAccount({ account, body: { reconnect: true } })
  await untilConnected(world, account)
  expect(await posthorn.getServerSignatures({ account })).toBeDefined()
  expect(await posthorn.getLogs({ account })).toEqual(expect.any(String))
  const form = { account: 'ben', redirectUrl: 'https://app.example.test/done' }
  expect(await posthorn.createAuthenticationForm({ body: form })).toMatchObject({
    url: expect.stringContaining('http'),
  })
  expect(await posthorn.getAutoconfig({ email: user.address })).toBeDefined()
})

test('mailboxes and messages: created, listed, read, changed, moved, deleted', async () => {
  await posthorn.createMailbox({ account, body: { path: ['Clients'] } })
  await posthorn.updateMailbox({ account, body: { path: 'Clients', newPath: 'Customers' } })
  const { mailboxes } = await posthorn.listMailboxes({ account, counters: true })
  expect(mailboxes.map(({ path }) => path)).toContain('Customers')
  const attachment = randomBytes(200_000)
  const upload = (subject: string) =>
    posthorn.uploadMessage({
      account,
      body: {
        path: 'Customers',
        subject,
        text: 'Hello',
        from: { address: 'shop@example.test' },
        to: [{ address: user.address }],
        attachments: [{ filename: 'data.bin', content: attachment }],
      },
    })
  const { id = '' } = await upload('one')
  await upload('two')
  const subjects: (string | undefined)[] = []
  for await (const entry of posthorn.listMessages.all({ account, path: 'Customers', pageSize: 1 }))
    subjects.push(entry.subject)
  expect(new Set(subjects)).toEqual(new Set(['one', 'two']))
  const searched = await posthorn.searchMessages({
    account,
    path: 'Customers',
    body: { search: { subject: 'one' } },
  })
  expect(searched.messages.map((message) => message.id)).toEqual([id])
  const message = await posthorn.getMessage({ account, message: id, textType: '*' })
  expect(message.text?.plain).toContain('Hello')
  const textId = message.text?.id ?? ''
  expect(await posthorn.getText({ account, text: textId })).toMatchObject({ hasMore: false })
  const part = await posthorn.getAttachment({
    account,
    attachment: message.attachments?.[0]?.id ?? '',
  })
  expect(digest(await part.bytes())).toBe(digest(attachment))
  const source = await posthorn.getMessageSource({ account, message: id })
  expect(await source.text()).toContain('Subject: one')
  await posthorn.updateMessage({ account, message: id, body: { flags: { add: ['\\Flagged'] } } })
  const search = { subject: 'two' }
  const update = { flags: { add: ['\\Seen'] } }
  await posthorn.updateMessages({ account, path: 'Customers', body: { search, update } })
  await posthorn.moveMessages({ account, path: 'Customers', body: { search, path: 'INBOX' } })
  await posthorn.deleteMessages({ account, path: 'INBOX', force: true, body: { search } })
  const moved = await posthorn.moveMessage({ account, message: id, body: { path: 'INBOX' } })
  await posthorn.deleteMessage({ account, message: moved.id ?? '', force: true })
  await posthorn.deleteMailbox({ account, path: 'Customers' })
})

test('submissions: held, released, sent and cancelled in the outbox; drafts', async () => {
  const body = { to: [{ address: user.address }], subject: 'Sent', text: 'Hello' }
  const later = { ...body, sendAt: new Date(Date.now() + 3_600_000).toISOString() }
  const first = await posthorn.submitMessage({ account, body: later })
  const queueId = first.queueId ?? ''
  const again = { account, body: later, idempotencyKey: 'order-1' }
  const [one, two] = [await posthorn.submitMessage(again), await posthorn.submitMessage(again)]
  expect(two.queueId).toBe(one.queueId)
  await posthorn.holdOutboxEntry({ queueId })
  await posthorn.releaseOutboxEntry({ queueId })
  expect(await posthorn.getOutboxEntry({ queueId })).toMatchObject({ queueId })
  const queued: string[] = []
  for await (const entry of posthorn.listOutbox.all({ account, pageSize: 1 }))
    queued.push(entry.queueId)
  expect(new Set(queued)).toEqual(new Set([queueId, one.queueId]))
  await posthorn.deleteOutboxEntry({ queueId: one.queueId ?? '' })
  await posthorn.sendOutboxEntry({ queueId })
  const draft = await posthorn.uploadMessage({
    account,
    body: { path: '\\Drafts', flags: ['\\Draft'], ...body, subject: 'Draft' },
  })
  const submitted = await posthorn.submitDraft({ account, message: draft.id ?? '' })
  for (const expected of [queueId, submitted.queueId]) {
    const { request } = await world.webhook(
      ({ event, data }) => event === 'messageSent' && data.queueId === expected,
    )
    const received = { headers: request.headers, body: request.body }
    const event = await verifyWebhook({ ...received, secret: world.serviceSecret })
    expect(event).toMatchObject({ event: 'messageSent', account })
  }
})

test('exports: created, listed, downloaded, deleted', async () => {
  await world.mail.deliver(user.user, plainMessage({ messageId: freshMessageId() }))
  const day = 86_400_000
  const { exportId } = await posthorn.createExport({
    account,
    body: {
      startDate: new Date(Date.now() - day).toISOString(),
      endDate: new Date(Date.now() + day).toISOString(),
    },
  })
  await eventually(async () => {
    const { status } = await posthorn.getExport({ account, exportId })
    expect(status).toBe('completed')
  })
  const { body } = await posthorn.downloadExport({ account, exportId })
  const file = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])
  expect(await text(file.pipe(createGunzip()))).toContain('"subject"')
  expect((await posthorn.listExports({ account })).exports).toHaveLength(1)
  expect((await posthorn.listAllExports({ account })).exports).toHaveLength(1)
  expect(await posthorn.deleteExport({ account, exportId })).toEqual({ deleted: true })
})

test('templates, blocklists and gateways: created, listed, changed, deleted', async () => {
  const template = { account, name: 'Welcome', content: { subject: 'Hi', text: 'Hello' } }
  const { id } = await posthorn.createTemplate({ body: template })
  await posthorn.updateTemplate({ template: id, body: { name: 'Welcome back' } })
  expect(await posthorn.getTemplate({ template: id })).toMatchObject({ name: 'Welcome back' })
  expect((await posthorn.listTemplates({ account })).templates).toHaveLength(1)
  await posthorn.deleteTemplate({ template: id })
  await posthorn.flushTemplates({ account, force: true })

  const listId = 'news'
  await posthorn.addToBlocklist({ listId, body: { account, recipient: 'ada@example.test' } })
  expect((await posthorn.getBlocklist({ listId })).addresses).toHaveLength(1)
  expect((await posthorn.listBlocklists()).blocklists).toHaveLength(1)
  await posthorn.removeFromBlocklist({ listId, recipient: 'ada@example.test' })

  const gateway = 'relay'
  const relay = {
    gateway,
    name: 'Relay',
    host: 'relay.example.test',
    port: 587,
    user: 'a',
    pass: 'b',
  }
  await posthorn.createGateway({ body: relay })
  await posthorn.updateGateway({ gateway, body: { name: 'Relay 2' } })
  expect(await posthorn.getGateway({ gateway })).toMatchObject({ name: 'Relay 2' })
  expect((await posthorn.listGateways()).gateways).toHaveLength(1)
  await posthorn.deleteGateway({ gateway })
})

test('OAuth2 applications and their accounts', async () => {
  const apps = await createApiApps(world)
  const app = await posthorn.createOAuth2App({
    body: {
      name: 'Gmail',
      provider: 'gmail',
      baseScopes: 'api',
      enabled: true,
      clientId: '1234.apps.googleusercontent.com',
      clientSecret: 'secret',
      redirectUrl: 'http://127.0.0.1:3000/oauth',
    },
  })
  await posthorn.updateOAuth2App({ app: app.id, body: { name: 'Gmail 2' } })
  expect(await posthorn.getOAuth2App({ app: app.id })).toMatchObject({ name: 'Gmail 2' })
  expect((await posthorn.listOAuth2Apps()).apps).toHaveLength(3)
  expect(await posthorn.getPubSubStatus()).toMatchObject({ apps: [] })
  const body = {
    account: 'ann',
    name: 'Ann',
    oauth2: { provider: apps.graph, auth: { user: address } },
  }
  await posthorn.createAccount({ body })
  await untilConnected(world, 'ann')
  await posthorn.checkOAuth2App({ app: apps.graph, body: { account: 'ann' } })
  await posthorn.updateSettings({ body: { enableOAuthTokensApi: true } })
  // OAuth2 access tokens of service accounts cannot be read.
  const scopes = ['https://mail.google.com/']
  fakes.gmail.addMailbox('kim@gmail.example')
  fakes.gmail.refreshTokens.set('1//kim', { address: 'kim@gmail.example', scopes })
  const kim = { provider: app.id, auth: { user: 'kim@gmail.example' }, refreshToken: '1//kim' }
  await posthorn.createAccount({ body: { account: 'kim', name: 'Kim', oauth2: kim } })
  await untilConnected(world, 'kim')
  expect(await posthorn.getOAuthToken({ account: 'kim' })).toMatchObject({ account: 'kim' })
  await posthorn.deleteOAuth2App({ app: app.id })
})

test('settings, queues, statistics and licence', async () => {
  expect(await posthorn.getSettings({ webhooksEnabled: true })).toMatchObject({
    webhooksEnabled: true,
  })
  const secret = 'service secret of EmailEngine'
  expect(await posthorn.importLinkKey({ body: { secret } })).toEqual({ imported: true })
  await posthorn.updateQueue({ queue: 'submit', body: { paused: false } })
  expect(await posthorn.getQueue({ queue: 'submit' })).toMatchObject({ paused: false })
  expect(await posthorn.getStats({ seconds: 60 })).toMatchObject({ accounts: expect.any(Number) })
  const keys = 'apiCall:success,apiCall:fail'
  expect(await posthorn.getStatsSeries({ keys })).toMatchObject({ step: 60, series: [{}, {}] })
  const { findings } = await posthorn.listFindings({})
  expect(findings.filter(({ level }) => level === 'error')).toEqual([])
  expect((await posthorn.listMailProxies({})).mailProxies).toHaveLength(2)
  const worker = (await posthorn.listWorkers({})).workers.find(({ alive }) => alive)
  if (!worker) throw new Error('no worker is alive')
  expect(worker).toMatchObject({ releasing: false, shards: expect.any(Array) })
  // The only sync-worker keeps its shards, although its release was requested.
  expect(await posthorn.releaseWorker({ worker: worker.id })).toEqual({ releasing: true })
  const license = { body: { license: 'none is needed' } }
  await expect(posthorn.setLicense(license)).rejects.toMatchObject({ status: 403 })
  await expect(posthorn.deleteLicense()).rejects.toMatchObject({
    message: 'There is no license key to remove',
  })
  await posthorn.getLicense()
})

test('jobs on accounts and the outbox', async () => {
  const body = { action: 'sync' as const, ids: [account] }
  const { id: job } = await posthorn.createAccountJob({ body })
  await eventually(async () =>
    expect(await posthorn.getAccountJob({ job })).toMatchObject({ state: 'done', done: 1 }),
  )
  expect((await posthorn.listAccountJobs()).jobs).toMatchObject([{ id: job, failed: 0 }])
  await expect(posthorn.cancelAccountJob({ job })).rejects.toMatchObject({ status: 400 })
  const absent = { action: 'hold' as const, ids: ['absent'] }
  const held = await posthorn.createOutboxJob({ body: absent })
  const ended = await eventually(async () => {
    const shown = await posthorn.getOutboxJob({ job: held.id })
    return shown.state === 'done' && shown
  })
  expect(ended.errors).toMatchObject([{ id: 'absent', code: 'NotFound' }])
  expect((await posthorn.listOutboxJobs()).jobs).toMatchObject([{ id: held.id }])
  await expect(posthorn.cancelOutboxJob({ job: held.id })).rejects.toMatchObject({ status: 400 })
  // A bulk job with this number of entries takes several seconds, so that it can be cancelled.
  const ids = Array.from({ length: 500 }, (_, number) => `absent-${number}`)
  const flush = await posthorn.createAccountJob({ body: { action: 'flush', ids } })
  await posthorn.cancelAccountJob({ job: flush.id })
  const release = await posthorn.createOutboxJob({ body: { action: 'release', ids } })
  await posthorn.cancelOutboxJob({ job: release.id })
  await eventually(async () => {
    const jobs = [
      await posthorn.getAccountJob({ job: flush.id }),
      await posthorn.getOutboxJob({ job: release.id }),
    ]
    expect(jobs.map(({ state }) => state)).toEqual(['cancelled', 'cancelled'])
  })
})

test('tokens: created, listed, read, logged, deleted', async () => {
  const body = { account, scopes: ['api' as const], description: 'Reports' }
  const [first, second] = [
    await posthorn.createToken({ body }),
    await posthorn.createTokenAlias({ body }),
  ]
  expect((await posthorn.listTokens({ account })).tokens).toHaveLength(2)
  expect(await posthorn.getToken({ token: first.token })).toMatchObject({ description: 'Reports' })
  expect(await posthorn.getTokenLog({ token: first.token })).toMatchObject({ entries: [] })
  const imported = { id: 'ab'.repeat(32), scopes: ['api' as const], account }
  expect(await posthorn.importTokens({ body: { tokens: [imported] } })).toMatchObject({
    imported: 1,
  })
  const operators = posthorn.createOperatorToken({ body: { description: 'Script' } })
  await expect(operators).rejects.toMatchObject({ status: 403 })
  await posthorn.deleteToken({ token: first.token })
  await posthorn.deleteTokenAlias({ token: second.token })
})

test('webhook routes and deliveries: created, tested, listed, replayed, deleted', async () => {
  const fn = "return payload.event === 'messageDeleted'"
  const created = await posthorn.createWebhookRoute({
    body: {
      name: 'Route',
      targetUrl: `${world.receiver.url}/route`,
      enabled: true,
      content: { fn },
    },
  })
  const webhookRoute = created.id
  await posthorn.updateWebhookRoute({ webhookRoute, body: { name: 'Route 2' } })
  expect(await posthorn.getWebhookRoute({ webhookRoute })).toMatchObject({ name: 'Route 2' })
  expect((await posthorn.listWebhookRoutes()).webhooks).toHaveLength(1)
  const payload = { event: 'messageNew', account, data: {} }
  expect(await posthorn.testWebhookRoute({ body: { content: { fn }, payload } })).toBeDefined()
  expect(await posthorn.listWebhookRouteErrors({ webhookRoute })).toBeDefined()
  await posthorn.deleteWebhookRoute({ webhookRoute })

  const tested = await posthorn.testWebhookTarget({ body: { url: world.receiver.url } })
  expect(tested).toMatchObject({ success: true, status: 200 })
  const { targets } = await posthorn.listWebhookTargets({ pageSize: 10 })
  expect(targets).toContainEqual(expect.objectContaining({ isDefault: true, paused: false }))

  // A redirect fails a webhook delivery without further attempts.
  world.receiver.replyWith(() => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' } }))
  await world.mail.deliver(user.user, plainMessage({ messageId: freshMessageId() }))
  const failed = await eventually(async () => {
    const { deliveries } = await posthorn.listWebhookDeliveries({ state: 'failed' })
    return deliveries[0] ?? false
  })
  world.receiver.replyWith(() => ({}))
  expect(await posthorn.getWebhookDelivery({ delivery: failed.id })).toMatchObject({ account })
  const { events } = await posthorn.listEvents({ account, event: 'messageNew' })
  expect(events[0]).toMatchObject({ id: failed.eventId, deliveryState: 'failed' })
  expect(await posthorn.getEvent({ event: failed.eventId })).toHaveProperty('id', failed.eventId)
  await (await posthorn.followEvents({ account })).body?.cancel()
  await posthorn.retryWebhookDelivery({ delivery: failed.id })
  const { id } = await posthorn.createWebhookReplay({ body: { target: 'default' } })
  expect(await posthorn.getWebhookReplay({ replay: id })).toMatchObject({ id })
  const { replays } = await posthorn.listWebhookReplays()
  expect(replays.map((replay) => replay.id)).toContain(id)
})

test('accounts: exported for another instance, which this instance cannot import', async () => {
  const { keys } = await posthorn.listKeys()
  expect(keys).toMatchObject([{ current: true }])
  const body = { publicKey: otherInstance.publicKey, accounts: [account] }
  const { accounts } = await posthorn.exportAccounts({ body })
  expect(accounts).toMatchObject([{ account, credentials: { imap: expect.any(String) } }])
  expect(JSON.stringify(accounts)).not.toContain(user.pass)
  const [transfer] = accounts
  if (!transfer) throw new Error('no transfer')
  const renamed = { ...transfer, account: 'moved' }
  expect(await posthorn.importAccounts({ body: { accounts: [renamed] } })).toEqual({
    results: [
      { account: 'moved', result: 'rejected', reason: 'otherKey', message: expect.any(String) },
    ],
  })
})

test('accounts: index rebuilt, deleted', async () => {
  await posthorn.flushAccount({ account, body: { flush: true } })
  expect(await posthorn.deleteAccount({ account })).toMatchObject({ deleted: true })
})

test('all operations of the contracts succeeded through the client', () => {
  const ids = Object.values(operations)
    .filter((operation) => !('hidden' in operation && operation.hidden))
    .map(({ id }) => id)
  // The API refuses all license keys. Only signed-in people create tokens with the scope `*`.
  const refused = ['createOperatorToken', 'deleteLicense', 'setLicense']
  expect(ids.filter((id) => !exercised.has(id)).toSorted()).toEqual(refused)
})
