import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { notificationPaths } from '@posthorn/contracts/notification-urls'
import { PosthornError } from '@posthorn/client'
import { withClient } from '@posthorn/local/postgres/client'
import { eventually } from '@posthorn/testkit'
import { gmailFailures } from '@posthorn/testkit/providers/gmail'
import { type AuditedMailbox, auditedGmail, auditedGraph } from '../audit/audited-mailbox.ts'
import { registerApiAccount, untilSynced } from '../audit/connect-account.ts'
import { MailboxAudit } from '../audit/mailbox-audit.ts'
import { createApiApps, startProviderFakes } from '../provider-fakes.ts'
import { startWorld, untilConnected } from '../world.ts'

// Access to mailboxes of mail APIs: revoked grants, rejected tokens, accounts of one application,
// and notifications that do not come from the provider.

const graphNames = ['graph-a', 'graph-b']
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const mailboxes = graphNames.map((name) => `${name}@contoso.example`)
const fakes = stack.use(await startProviderFakes({ mailboxes }))
const { gmail, graph } = fakes
const world = stack.use(
  await startWorld({
    names: ['api-gateway', 'auth-bridge', 'sync-worker', 'webhook-dispatcher'],
    env: fakes.env,
  }),
)
const { posthorn } = world
await posthorn.updateSettings({ body: { notificationBaseUrl: world.url } })
const apps = await createApiApps(world)

const source = (subject: string) =>
  [
    'From: ann@example.test',
    `Subject: ${subject}`,
    `Message-ID: <${randomBytes(8).toString('hex')}@example.test>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    `Text of ${subject}`,
    '--b',
    'Content-Type: text/csv; name=a.csv',
    'Content-Disposition: attachment; filename=a.csv',
    '',
    `Attachment of ${subject}`,
    '--b--',
    '',
  ].join('\r\n')

/** Connects an account whose mailbox has two messages, by provider. */
const connect = {
  async gmail(account: string): Promise<AuditedMailbox> {
    const mailbox = gmail.addMailbox(`${account}@workspace.example`)
    for (const at of [1, 2]) mailbox.deliver(source(`${account} ${at}`))
    await registerApiAccount(world, { account, app: apps.gmail, address: mailbox.address })
    await untilSynced(world, account)
    return auditedGmail(mailbox)
  },
  async graph(account: string): Promise<AuditedMailbox> {
    const mailbox = graph.mailboxOf(`${account}@contoso.example`)
    for (const at of [1, 2]) mailbox.deliver({ raw: Buffer.from(source(`${account} ${at}`)) })
    await registerApiAccount(world, { account, app: apps.graph, address: mailbox.address })
    await untilSynced(world, account)
    return auditedGraph(mailbox, () => graph.deltaOf(mailbox).expire())
  },
}

test.each(['gmail', 'graph'] as const)(
  'two accounts of one %s application: no id or cursor leads to the mailbox of the other one',
  async (provider) => {
    const [one, other] = [`${provider}-a`, `${provider}-b`]
    const own = await connect[provider](one)
    const foreign = await connect[provider](other)
    const before = JSON.stringify([...foreign.messages()])
    const page = await posthorn.listMessages({ account: other, path: 'INBOX', pageSize: 1 })
    const message = page.messages[0]?.id ?? ''
    const details = await posthorn.getMessage({ account: other, message })
    expect(details.attachments).toHaveLength(1)
    const account = one
    const text = details.text?.id ?? ''
    const attachment = details.attachments?.[0]?.id ?? ''
    const flags = { add: ['\\Flagged'] }
    const reply = { text: 'x', reference: { message, action: 'reply' } } as const
    for (const request of [
      () => posthorn.getMessage({ account, message }),
      () => posthorn.getMessageSource({ account, message }),
      () => posthorn.getText({ account, text }),
      () => posthorn.getAttachment({ account, attachment }),
      () => posthorn.updateMessage({ account, message, body: { flags } }),
      () => posthorn.moveMessage({ account, message, body: { path: '\\Trash', source: 'INBOX' } }),
      () => posthorn.deleteMessage({ account, message }),
      () => posthorn.submitDraft({ account, message, body: {} }),
      () => posthorn.submitMessage({ account, body: reply }),
    ])
      await expect(request()).rejects.toMatchObject({
        status: 404,
        code: expect.stringMatching(/MessageNotFound|ReferenceNotFound/),
      })
    const continued = await listFrom(account, page.nextPageCursor ?? '')
    for (const { id } of continued) expect([...own.messages().keys()]).toContain(id)
    expect(JSON.stringify([...foreign.messages()])).toBe(before)
  },
)

/** Lists messages of the INBOX from a cursor on. A rejected request lists none. */
async function listFrom(account: string, cursor: string) {
  try {
    const input = { account, path: 'INBOX', pageSize: 1, cursor }
    return (await posthorn.listMessages(input)).messages
  } catch (error) {
    expect(error).toBeInstanceOf(PosthornError)
    return []
  }
}

/** Number of provider notifications that sync-worker has accepted, or rejected as forged. */
async function notifications(outcome: 'accepted' | 'forged'): Promise<number> {
  const text = await (await fetch(`${world.services.urls['sync-worker']}/metrics`)).text()
  const line = new RegExp(
    `^posthorn_provider_notices_total\\{outcome="${outcome}".*\\} (\\d+)$`,
    'm',
  )
  return Number(line.exec(text)?.[1] ?? 0)
}

async function notify(account: string, notification: object, path: string): Promise<number> {
  const response = await fetch(`${world.url}${path}?account=${account}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ value: [notification] }),
  })
  return response.status
}

test('forged, foreign and replayed notifications have no effect', async () => {
  const subscriptions = await eventually(() => {
    const all = graphNames.map((name) =>
      [...graph.subscriptions.values()].find(({ notificationUrl }) =>
        notificationUrl.endsWith(`account=${name}`),
      ),
    )
    return all.every((each) => each !== undefined) && all
  })
  const [own, foreign] = subscriptions
  const mailbox = graph.mailboxOf(mailboxes[0] ?? '')
  const audited = auditedGraph(mailbox, () => graph.deltaOf(mailbox).expire())
  const audit = await MailboxAudit.begin(world, 'graph-a', audited)
  const { graph: changes, graphLifecycle: lifecycle } = notificationPaths
  const before = [...graph.subscriptions.keys()]
  const forged = await notifications('forged')
  for (const clientState of ['guess', foreign?.clientState ?? '']) {
    const shared = { subscriptionId: own?.id, clientState }
    const change = { ...shared, changeType: 'deleted', resource: 'x' }
    expect(await notify('graph-a', change, changes)).toBe(202)
    for (const lifecycleEvent of ['missed', 'subscriptionRemoved', 'reauthorizationRequired'])
      expect(await notify('graph-a', { ...shared, lifecycleEvent }, lifecycle)).toBe(202)
  }
  await eventually(async () => expect(await notifications('forged')).toBe(forged + 8))
  expect([...graph.subscriptions.keys()]).toEqual(before)
  expect(await audit.settle({ lists: ['Posteingang'] })).toEqual([])

  const accepted = await notifications('accepted')
  const genuine = { subscriptionId: own?.id, clientState: own?.clientState, changeType: 'created' }
  for (let repeat = 0; repeat < 3; repeat++) await notify('graph-a', genuine, changes)
  await eventually(async () => expect(await notifications('accepted')).toBe(accepted + 3))
  mailbox.deliver({ raw: Buffer.from(source('after the replays')) })
  expect(await audit.settle({ lists: ['Posteingang'] })).toHaveLength(1)

  const push = await fetch(`${world.url}${notificationPaths.gmailPush}`, {
    method: 'POST',
    headers: { authorization: 'Bearer e30.e30.e30', 'content-type': 'application/json' },
    body: JSON.stringify({ message: { data: Buffer.from('{}').toString('base64') } }),
  })
  expect(push.status).toBe(403)
})

const tokenRequests = () => gmail.requests('token').length
const account = 'granted'
const address = 'granted@workspace.example'
const scopes = ['https://www.googleapis.com/auth/gmail.modify']

/** Registers an OAuth2 application with consent, and an account with the grant of its owner. */
async function connectGranted() {
  const mailbox = gmail.addMailbox(address)
  gmail.refreshTokens.set('1//first', { address, scopes })
  const { id: app } = await posthorn.createOAuth2App({
    body: {
      name: 'Gmail',
      enabled: true,
      provider: 'gmail',
      baseScopes: 'api',
      clientId: '1234',
      clientSecret: randomBytes(8).toString('hex'),
      redirectUrl: `${world.url}/oauth`,
    },
  })
  const registration = { account, app, address, refreshToken: '1//first' }
  await registerApiAccount(world, registration)
  await untilSynced(world, account)
  return { mailbox, audit: await MailboxAudit.begin(world, account, auditedGmail(mailbox)) }
}
const granted = await connectGranted()
const stateOf = () => posthorn.getAccount({ account })

test('a grant that is revoked and given again: authenticationError, then every change once', async () => {
  const { mailbox, audit } = granted
  const kept = mailbox.deliver(source('kept'))
  const gone = mailbox.deliver(source('gone'))
  await audit.settle()
  await audit.restart()
  // An access token that was issued a moment ago is not renewed.
  await withClient(world.ownerUrl, (open) =>
    open.query(
      "update oauth2_tokens set updated_at = updated_at - interval '10 min' where account = $1",
      [account],
    ),
  )
  gmail.refreshTokens.clear()
  for (const [token, grant] of gmail.tokens)
    if (grant.address === address) gmail.tokens.delete(token)
  await eventually(async () => expect((await stateOf()).state).toBe('authenticationError'))
  mailbox.changeLabels(kept, ['STARRED'], ['UNREAD'])
  mailbox.remove(gone)
  for (let at = 0; at < 30; at++) mailbox.deliver(source(`meanwhile ${at}`))
  gmail.refreshTokens.set('1//second', { address, scopes })
  const oauth2 = { refreshToken: '1//second', partial: true }
  await posthorn.updateAccount({ account, body: { oauth2 } })
  await untilConnected(world, account)
  expect(await audit.settle()).toHaveLength(32)
  await audit.compareIndex()
})

test('Gmail rejects every token: OAuthTokenRejected, with at most one renewal per attempt', async () => {
  const { mailbox, audit } = granted
  await audit.restart()
  const before = tokenRequests()
  let rejected = 0
  const remove = gmail.on('*', (request) => {
    if (request.params['userId'] === undefined) return undefined
    if (gmail.findGrant(request)?.address !== address) return undefined
    rejected += 1
    return { kind: 'reply', response: gmailFailures.unauthorized() }
  })
  const list = () =>
    posthorn.listMessages({ account, path: 'INBOX' }).then(
      () => undefined,
      (error: PosthornError) => error,
    )
  const errors = await Promise.all(Array.from({ length: 20 }, list))
  // The account may have lost its connection before a request, which then fails with the status
  // 503.
  for (const error of errors)
    expect(error).toMatchObject(
      error?.status === 503
        ? { status: 503, code: expect.any(String) }
        : { status: 403, code: 'OAuthTokenRejected' },
    )
  await eventually(async () =>
    expect(await stateOf()).toMatchObject({
      state: 'authenticationError',
      lastError: { serverResponseCode: 'OAuthTokenRejected' },
    }),
  )
  await eventually(() => expect(rejected).toBeGreaterThan(30))
  expect(tokenRequests() - before).toBeLessThanOrEqual(2)
  mailbox.deliver(source('rejected'))
  remove()
  await untilConnected(world, account)
  expect(await audit.settle()).toHaveLength(1)
})
