import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ErrorCode, Posthorn, PosthornError } from '@posthorn/client'
import { withClient } from '@posthorn/local/postgres/client'
import { errorStatuses } from '@posthorn/contracts/openapi/error-statuses'
import { eventually, freePort, imapFaults, startImapScript, type TestUser } from '@posthorn/testkit'
import { createApiApps, startProviderFakes } from '../provider-fakes.ts'
import { freshMessageId, plainMessage, registration, startWorld, untilConnected } from '../world.ts'

// Each error code of the contracts, caused in the running system and read through the typed client.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const [ann, bob] = ['ann@contoso.example', 'bob@contoso.example'] as const
const kim = 'kim@workspace.example'
const fakes = stack.use(await startProviderFakes({ mailboxes: [ann, bob], handshakes: false }))
fakes.gmail.addMailbox(kim)
const script = stack.use(await startImapScript({ mailboxes: ['Old'] }))
const world = stack.use(await startWorld({ env: { ...fakes.env, SVC_TIMEOUT: '2s' } }))
// The test waits for the state of a case itself.
const posthorn = new Posthorn({ ...world, retryForMs: 0 })
const apps = await createApiApps(world.client)
const account = 'anna'
const user = world.mail.freshUser()
const to = [{ address: 'ben@mail.test' }]
type Registration = Parameters<typeof posthorn.createAccount>[0]['body']

/** Registers a user of the mail server, with other members. */
const register = async (name: string, change: object, owner: TestUser = world.mail.freshUser()) => {
  const body = { ...registration(name, owner), ...change } as unknown as Registration
  await posthorn.createAccount({ body })
}
const registerAtApi = async (name: string, provider: string, address: string) => {
  const body = { account: name, name, oauth2: { provider, auth: { user: address } } }
  await posthorn.createAccount({ body })
  await untilConnected(world.client, name)
}
const upload = (message: Partial<Parameters<typeof posthorn.uploadMessage>[0]['body']> = {}) =>
  posthorn.uploadMessage({
    account,
    body: { path: '\\Drafts', flags: ['\\Draft'], subject: 'Draft', text: 'Hello', ...message },
  })
const list = (name: string) => posthorn.listMessages({ account: name, path: 'INBOX' })
/** Repeats a call until the account has reached the state in which the call fails as expected. */
const untilCode = (code: ErrorCode, call: () => Promise<unknown>) =>
  eventually(async () => {
    const error = await call().catch((reason: unknown) => reason)
    if (!(error instanceof PosthornError) || error.code !== code)
      throw new Error(`no ${code} yet, but ${String(error)}`)
    throw error
  }).catch((error: unknown) => {
    throw error
  })

/** Fails a request to Microsoft Graph once, and calls an operation that sends this request. */
async function atGraph(status: number, graphCode: string, name = 'ann'): Promise<unknown> {
  const mailbox = fakes.graph.mailboxOf(name === 'ann' ? ann : bob)
  const { id } = mailbox.deliver({
    raw: Buffer.from(plainMessage({ messageId: freshMessageId() })),
  })
  const body = { error: { code: graphCode, message: 'The operation failed.' } }
  const remove = fakes.graph.server.on('GET /messages/{message-id}', () => ({
    kind: 'reply',
    response: { status, body },
    unchecked: true,
  }))
  try {
    return await posthorn.getMessage({ account: name, message: id })
  } finally {
    remove()
  }
}

/** Fails a command of the scripted mail server, and calls an operation that sends the command. */
async function atScript(command: string, reply: string, call: () => Promise<unknown>) {
  const remove = script.on(command, imapFaults.rejects(reply))
  try {
    return await call()
  } finally {
    remove()
  }
}

const cases: Record<string, () => Promise<unknown>> = {
  InvalidId: () => posthorn.getMessage({ account, message: '%%%' }),
  InvalidCursorType: () => posthorn.listMessages({ account, path: 'INBOX', cursor: 'gmail_x' }),
  InvalidCursorValue: () => posthorn.listMessages({ account, path: 'INBOX', cursor: 'imap_x' }),
  MessageNotDraft: async () => {
    const { id = '' } = await upload({ path: 'INBOX', flags: [] })
    return posthorn.submitDraft({ account, message: id })
  },
  DraftHasNoRecipients: async () => {
    const { id = '' } = await upload()
    return posthorn.submitDraft({ account, message: id })
  },
  UnsupportedOperation: async () => {
    await register('no-mailbox', { imap: false })
    const [startDate, endDate] = ['2020-01-01T00:00:00Z', '2030-01-01T00:00:00Z']
    return posthorn.createExport({ account: 'no-mailbox', body: { startDate, endDate } })
  },
  ReferenceNotSupported: async () => {
    await register('only-sends', { imap: false })
    const body = { to, text: 'Hello', reference: { message: 'AAAAAQAAAeE' } }
    return posthorn.submitMessage({ account: 'only-sends', body })
  },
  ForceRequired: () => posthorn.flushTemplates({ account, force: false }),
  ApiEndpointDisabled: () => posthorn.getOAuthToken({ account }),
  MintWidensRestrictions: async () => {
    const rateLimit = { maxRequests: 1000, timeWindow: 60 }
    const narrow = { scopes: ['api' as const], description: 'narrow', restrictions: { rateLimit } }
    const { token } = await posthorn.createToken({ body: narrow })
    const other = new Posthorn({ ...world, token, retryForMs: 0 })
    return other.createToken({ body: { scopes: ['api'], description: 'wide' } })
  },
  AccountNotFound: () => posthorn.getAccount({ account: 'absent' }),
  MessageNotFound: async () => {
    const { id = '' } = await upload()
    await posthorn.deleteMessage({ account, message: id, force: true })
    return posthorn.getMessage({ account, message: id })
  },
  FolderNotFound: () => posthorn.listMessages({ account, path: 'Absent' }),
  ReferenceNotFound: async () => {
    const { id = '' } = await upload()
    await posthorn.deleteMessage({ account, message: id, force: true })
    return posthorn.submitMessage({ account, body: { to, text: 'x', reference: { message: id } } })
  },
  TemplateNotFound: () => posthorn.submitMessage({ account, body: { to, template: 'absent' } }),
  NotFound: () => posthorn.getExport({ account, exportId: 'exp_0123456789abcdef01234567' }),
  SMTPUnavailable: async () => {
    await register('only-reads', { smtp: false })
    return posthorn.submitMessage({ account: 'only-reads', body: { to, text: 'Hello' } })
  },
  TooManyExports: async () => {
    await posthorn.updateSettings({
      body: { exportMaxConcurrent: 1, exportMaxGlobalConcurrent: 1 },
    })
    const [startDate, endDate] = ['2020-01-01T00:00:00Z', '2030-01-01T00:00:00Z']
    for (let exports = 0; exports < 100; exports += 1)
      await posthorn.createExport({ account, body: { startDate, endDate } })
  },
  MissingServiceURLSetup: () =>
    posthorn.createAuthenticationForm({ body: { account: 'x', redirectUrl: 'https://x.test/' } }),
  AuthenticationFails: async () => {
    const owner = { ...world.mail.freshUser(), pass: 'wrong' }
    await register('wrong-password', {}, owner)
    return untilCode('AuthenticationFails', () => list('wrong-password'))
  },
  ConnectionError: async () => {
    await register('unreachable', {}, { ...user, imapPort: await freePort() })
    return untilCode('ConnectionError', () => list('unreachable'))
  },
  NotSyncing: async () => {
    await register('switched-off', { imap: { disabled: true } })
    return untilCode('NotSyncing', () => list('switched-off'))
  },
  NoAvailable: async () => {
    await register('paused', { paused: true })
    return untilCode('NoAvailable', () => list('paused'))
  },
  NotYetConnected: async () => {
    const remove = script.on('LOGIN', imapFaults.replies())
    try {
      await register('slow', {}, { ...user, ...scripted })
      return await untilCode('NotYetConnected', () => list('slow'))
    } finally {
      remove()
    }
  },
  DeleteFailed: () =>
    atScript('DELETE', 'NO not now', () =>
      posthorn.deleteMailbox({ account: 'script', path: 'Old' }),
    ),
  RenameFailed: () =>
    atScript('RENAME', 'NO not now', () =>
      posthorn.updateMailbox({ account: 'script', body: { path: 'Old', newPath: 'New' } }),
    ),
  UploadFail: () =>
    atScript('APPEND', 'NO not now', () =>
      posthorn.uploadMessage({ account: 'script', body: { path: 'Old', text: 'Hello' } }),
    ),
  Timeout: async () => {
    const remove = script.on('RENAME', imapFaults.replies())
    try {
      const body = { path: 'Old', newPath: 'New' }
      return await posthorn.updateMailbox({ account: 'script', body })
    } finally {
      remove()
    }
  },
  MissingServerExtension: async () => {
    const { messages } = await list('script')
    const message = messages[0]?.id ?? ''
    const body = { labels: { add: ['Important'] } }
    return posthorn.updateMessage({ account: 'script', message, body })
  },
  IMAPUnavailable: async () => {
    await script.close()
    try {
      return await untilCode('IMAPUnavailable', () => list('script'))
    } finally {
      await script.open()
    }
  },
  AccountAlreadyExists: () => registerAtApi('ann-again', apps.graph, ann),
  InvalidInput: () => posthorn.listMessages({ account: 'ann', path: 'INBOX', page: 1 }),
  UnsupportedSearchTerm: () =>
    posthorn.searchMessages({ account: 'ann', path: 'INBOX', body: { search: { larger: 5 } } }),
  TrashNotFound: async () => {
    const remove = fakes.graph.server.on('POST /messages/{message-id}/move', () => ({
      kind: 'reply',
      response: { status: 404, body: { error: { code: 'ErrorFolderNotFound', message: 'gone' } } },
      unchecked: true,
    }))
    const raw = Buffer.from(plainMessage({ messageId: freshMessageId() }))
    const { id } = fakes.graph.mailboxOf(ann).deliver({ raw })
    try {
      return await posthorn.deleteMessage({ account: 'ann', message: id })
    } finally {
      remove()
    }
  },
  InvalidMessageId: () => atGraph(400, 'ErrorInvalidIdMalformed'),
  SearchCursorExpired: () => atGraph(400, 'ErrorExecuteSearchStaleData'),
  InvalidRecipients: () => atGraph(400, 'ErrorInvalidRecipients'),
  AccessDenied: () => atGraph(403, 'ErrorAccessDenied'),
  MailboxNotEnabled: () => atGraph(404, 'MailboxNotEnabledForRESTAPI'),
  SendAsDenied: () => atGraph(403, 'ErrorSendAsDenied'),
  MessageTooLarge: () => atGraph(413, 'ErrorMessageSizeExceeded'),
  QuotaExceeded: () => atGraph(507, 'ErrorQuotaExceeded'),
  OAuthTokenRejected: () => atGraph(401, 'InvalidAuthenticationToken', 'bob'),
  AppNotFound: async () => {
    await posthorn.deleteOAuth2App({ app: apps.gmail })
    return untilCode('AppNotFound', () => list('kim'))
  },
  InvalidBaseScopes: async () => {
    // The API refuses this change: the application was stored by an earlier release.
    const change = `update oauth2_apps set config = jsonb_set(config, '{baseScopes}', '"imap"') where id = $1`
    await withClient(world.ownerUrl, (db) => db.query(change, [apps.graph]))
    return untilCode('InvalidBaseScopes', () => list('bob'))
  },
  // The last case, because it ends the workers.
  WorkerNotAvailable: async () => {
    await world.services.stop('sync-worker')
    return untilCode('WorkerNotAvailable', () => list(account))
  },
}

const scripted = { host: script.host, imapPort: script.port, user: 'script', pass: 'secret' }
beforeAll(async () => {
  await register(account, {}, user)
  script.mailbox('INBOX').append(plainMessage({ messageId: freshMessageId() }))
  await register('script', {}, { ...user, ...scripted })
  for (const name of [account, 'script']) await untilConnected(world.client, name)
  for (const [name, address] of [
    ['ann', ann],
    ['bob', bob],
  ] as const)
    await registerAtApi(name, apps.graph, address)
  await registerAtApi('kim', apps.gmail, kim)
})

test('all error codes of the contracts have a case', () => {
  expect(Object.keys(cases).toSorted()).toEqual(Object.keys(errorStatuses).toSorted())
})

test.each(Object.entries(cases))('%s', async (code, cause) => {
  const error = await cause().catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(PosthornError)
  expect(error).toMatchObject({ code, status: errorStatuses[code] })
  expect((error as PosthornError).requestId).toEqual(expect.any(String))
})
