import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type AccountRegistration, type ErrorCode, Posthorn, PosthornError } from '@posthorn/client'
import { withClient } from '@posthorn/local/postgres/client'
import { errorStatuses } from '@posthorn/contracts/openapi/error-statuses'
import { eventually, freePort, imapFaults, startImapScript, type TestUser } from '@posthorn/testkit'
import { createApiApps, startProviderFakes } from '../provider-fakes.ts'
import { freshMessageId, plainMessage, startWorld, untilConnected } from '../world.ts'

// Each error code of the API contracts, caused in the running system and read through the typed
// client.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const [ann, bob] = ['ann@contoso.example', 'bob@contoso.example'] as const
const kim = 'kim@workspace.example'
const fakes = stack.use(await startProviderFakes({ mailboxes: [ann, bob], handshakes: false }))
fakes.gmail.addMailbox(kim)
fakes.gmail.refreshTokens.set('1//kim', { address: kim, scopes: ['https://mail.google.com/'] })
const script = stack.use(await startImapScript({ mailboxes: ['Old'] }))
const world = stack.use(await startWorld({ env: { ...fakes.env, SVC_TIMEOUT: '2s' } }))
const { posthorn } = world
const apps = await createApiApps(world)
const { id: consentApp } = await posthorn.createOAuth2App({
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
const account = 'anna'
const user = world.mail.freshUser()
const to = [{ address: 'ben@mail.test' }]

/** Registers a user of the mail server as an account, with changes of the registration. */
const register = (
  name: string,
  change: Partial<AccountRegistration>,
  owner: TestUser = world.mail.freshUser(),
) => world.register(name, owner, change)
const registerAtApi = async (name: string, provider: string, address: string) => {
  const grant = provider === consentApp ? { refreshToken: '1//kim' } : {}
  const body = { account: name, name, oauth2: { provider, auth: { user: address }, ...grant } }
  await posthorn.createAccount({ body })
  await untilConnected(world, name)
}
const upload = (message: Partial<Parameters<typeof posthorn.uploadMessage>[0]['body']> = {}) =>
  posthorn.uploadMessage({
    account,
    body: { path: '\\Drafts', flags: ['\\Draft'], subject: 'Draft', text: 'Hello', ...message },
  })
const list = (name: string) => posthorn.listMessages({ account: name, path: 'INBOX' })
/**
 * Repeats an API call until the account has reached the state in which the call fails as expected.
 */
async function untilCode(code: ErrorCode, call: () => Promise<unknown>): Promise<never> {
  throw await eventually(
    async () => {
      const error = await call().catch((reason: unknown) => reason)
      if (error instanceof PosthornError && error.code === code) return error
      throw new Error(`no ${code} yet, but ${String(error)}`)
    },
    { timeoutMs: 30_000 },
  )
}

const source = Buffer.from(plainMessage({ messageId: freshMessageId() }))
/** Ids of messages in the Graph mailboxes, by account. */
const stored: Record<string, string> = {
  ann: fakes.graph.mailboxOf(ann).deliver({ raw: source }).id,
  bob: fakes.graph.mailboxOf(bob).deliver({ raw: source }).id,
}

/**
 * Makes an operation of the Graph fake fail, and calls an operation of the API. The error code of
 * the API stands for the code in the response of Graph.
 */
async function atGraph(
  code: ErrorCode,
  [status, graphCode]: [number, string],
  { name = 'ann', operation = 'GET /messages/{message-id}', call = read } = {},
): Promise<never> {
  const body = { error: { code: graphCode, message: 'The operation failed.' } }
  const reply = { kind: 'reply', response: { status, body }, unchecked: true } as const
  const remove = fakes.graph.server.on(operation, () => reply)
  try {
    return await untilCode(code, () => call(name))
  } finally {
    remove()
  }
}
const read = (name: string): Promise<unknown> =>
  posthorn.getMessage({ account: name, message: stored[name] ?? '' })
const trash = (name: string): Promise<unknown> =>
  posthorn.deleteMessage({ account: name, message: stored[name] ?? '' })

/**
 * Makes the scripted IMAP server reject a command, and calls an API operation that sends the
 * command.
 */
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
  AccountNotFound: () => posthorn.listExports({ account: 'absent' }),
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
  TrashNotFound: () => {
    const operation = 'POST /messages/{message-id}/move'
    return atGraph('TrashNotFound', [404, 'ErrorFolderNotFound'], { operation, call: trash })
  },
  InvalidMessageId: () => atGraph('InvalidMessageId', [400, 'ErrorInvalidIdMalformed']),
  SearchCursorExpired: () => atGraph('SearchCursorExpired', [400, 'ErrorExecuteSearchStaleData']),
  InvalidRecipients: () => atGraph('InvalidRecipients', [400, 'ErrorInvalidRecipients']),
  AccessDenied: () => atGraph('AccessDenied', [403, 'ErrorAccessDenied']),
  MailboxNotEnabled: () => atGraph('MailboxNotEnabled', [404, 'MailboxNotEnabledForRESTAPI']),
  SendAsDenied: () => atGraph('SendAsDenied', [403, 'ErrorSendAsDenied']),
  MessageTooLarge: () => atGraph('MessageTooLarge', [413, 'ErrorMessageSizeExceeded']),
  QuotaExceeded: () => atGraph('QuotaExceeded', [507, 'ErrorQuotaExceeded']),
  OAuthTokenRejected: () =>
    atGraph('OAuthTokenRejected', [401, 'InvalidAuthenticationToken'], { name: 'bob' }),
  InvalidBaseScopes: async () => {
    await posthorn.updateSettings({ body: { enableOAuthTokensApi: true } })
    await setBaseScopes('imap')
    return untilCode('InvalidBaseScopes', () => posthorn.getOAuthToken({ account: 'kim' }))
  },
  AppNotFound: async () => {
    await setBaseScopes('api')
    await posthorn.updateOAuth2App({ app: consentApp, body: { enabled: false } })
    return untilCode('AppNotFound', () => posthorn.getOAuthToken({ account: 'kim' }))
  },
  // The last case, because it ends the sync-workers.
  WorkerNotAvailable: async () => {
    await world.services.stop('sync-worker')
    return untilCode('WorkerNotAvailable', () => list(account))
  },
}

/**
 * Changes an OAuth2 application as an earlier release could have stored it. The API refuses this.
 */
async function setBaseScopes(scopes: string): Promise<void> {
  const change = `update oauth2_apps set config = jsonb_set(config, '{baseScopes}', $1) where id = $2`
  await withClient(world.ownerUrl, (db) => db.query(change, [JSON.stringify(scopes), consentApp]))
}

const scripted = { host: script.host, imapPort: script.port, user: 'script', pass: 'secret' }
beforeAll(async () => {
  await register(account, {}, user)
  script.mailbox('INBOX').append(plainMessage({ messageId: freshMessageId() }))
  await register('script', {}, { ...user, ...scripted })
  for (const name of [account, 'script']) await untilConnected(world, name)
  for (const [name, address] of [
    ['ann', ann],
    ['bob', bob],
  ] as const)
    await registerAtApi(name, apps.graph, address)
  await registerAtApi('kim', consentApp, kim)
})

/** Error codes that only requests of the administration pages get, not requests with a token. */
const codesOfPeople = ['MailReadingRequired', 'StepUpRequired']

test('all error codes of the contracts have a case', () => {
  const covered = [...Object.keys(cases), ...codesOfPeople]
  expect(covered.toSorted()).toEqual(Object.keys(errorStatuses).toSorted())
})

test.each(Object.entries(cases))(
  '%s',
  async (code, cause) => {
    const error = await cause().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(PosthornError)
    expect(error).toMatchObject({ code, status: errorStatuses[code] })
    expect((error as PosthornError).requestId).toEqual(expect.any(String))
  },
  60_000,
)
