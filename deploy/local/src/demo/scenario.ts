import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ImapFlow } from 'imapflow'
import { startReceiver, type WebhookReceiver } from './receiver.ts'

/** Addresses of the local system and of the mail server that the demo uses. */
export interface ScenarioContext {
  url: string
  token: string
  serviceSecret: string
  imapProxyPort: number
  /** Address of this machine to which webhooks of the demo are sent. Defaults to 127.0.0.1. */
  receiverHost?: string
  mail: {
    host: string
    imapPort: number
    submissionPort: number
    password: string
    deliver(user: string, rfc822: string): Promise<void>
  }
  report: (line: string) => void
}

/**
 * Runs the demo: connects two accounts, receives and sends a message, and logs in through the IMAP
 * proxy. Reports each step. Rejects at the first failure.
 */
export async function runScenario(context: ScenarioContext): Promise<void> {
  const api = createApi(context.url, context.token)
  await using receiver = await startReceiver(
    context.serviceSecret,
    context.receiverHost ?? '127.0.0.1',
  )
  await api.post('/v1/settings', {
    webhooks: receiver.url,
    webhooksEnabled: true,
    webhookEvents: ['*'],
  })
  context.report(`webhooks are sent to ${receiver.url}, each signature is verified`)
  for (const user of ['jane', 'john']) await connectAccount(context, api, user)
  await receiveMail(context, receiver)
  await sendMail({ context, api, receiver })
  await logInThroughProxy(context, api)
}

async function connectAccount(
  { mail, report }: ScenarioContext,
  api: Api,
  user: string,
): Promise<void> {
  const started = performance.now()
  const auth = { user, pass: mail.password }
  // TLS certificates are not verified, because the mail server of the demo has a self-signed
  // certificate.
  const tls = { rejectUnauthorized: false }
  await api.post('/v1/account', {
    account: user,
    name: `${user[0]?.toUpperCase()}${user.slice(1)} Doe`,
    email: `${user}@mail.test`,
    imap: { host: mail.host, port: mail.imapPort, secure: false, auth, tls },
    smtp: { host: mail.host, port: mail.submissionPort, secure: false, auth, tls },
  })
  for (;;) {
    const { state, lastError } = await api.get<{
      state: string
      lastError: { response?: string } | null
    }>(`/v1/account/${user}`)
    if (state === 'connected') break
    if (state === 'authenticationError' || state === 'connectError')
      throw new Error(`${user}: ${state}, ${lastError?.response ?? ''}`)
    if (performance.now() - started > 30_000)
      throw new Error(`${user} is still ${state} after 30 s`)
    await delay(50)
  }
  report(`account ${user} is connected, ${elapsed(started)} after its registration`)
}

async function receiveMail(
  { mail, report }: ScenarioContext,
  receiver: WebhookReceiver,
): Promise<void> {
  const messageId = `<${randomUUID()}@example.test>`
  const lines = [
    'From: Shop <shop@example.test>',
    'To: jane@mail.test',
    'Subject: Your order',
    `Message-ID: ${messageId}`,
    `Date: ${new Date().toUTCString()}`,
    '',
    'It is on its way.',
    '',
  ]
  const started = performance.now()
  await mail.deliver('jane', lines.join('\r\n'))
  const webhook = await receiver.next(
    'messageNew for jane',
    ({ event, account, data }) =>
      event === 'messageNew' && account === 'jane' && data['messageId'] === messageId,
  )
  report(
    `mail delivered to jane → webhook messageNew "${String(webhook.data['subject'])}", signature valid, ${(webhook.receivedAt - started).toFixed(0)} ms after delivery began`,
  )
}

interface SendContext {
  context: ScenarioContext
  api: Api
  receiver: WebhookReceiver
}

async function sendMail({ context: { report }, api, receiver }: SendContext): Promise<void> {
  const started = performance.now()
  const { queueId, messageId } = await api.post<{ queueId: string; messageId: string }>(
    '/v1/account/jane/submit',
    {
      to: [{ name: 'John Doe', address: 'john@mail.test' }],
      subject: 'Thank you',
      text: 'It has arrived.',
      html: '<p>It has <b>come</b>.</p>',
    },
  )
  report(`message submitted by jane: queued as ${queueId}`)
  const sent = await receiver.next(
    'messageSent',
    ({ event, data }) => event === 'messageSent' && data['queueId'] === queueId,
  )
  report(
    `→ webhook messageSent, "${String(sent.data['response'])}", ${elapsed(started)} after the submission`,
  )
  await receiver.next(
    'messageNew for john',
    ({ event, account, data }) =>
      event === 'messageNew' && account === 'john' && data['messageId'] === messageId,
  )
  report(`→ delivered: webhook messageNew for john, ${elapsed(started)} after the submission`)
}

async function logInThroughProxy(
  { report, imapProxyPort: port }: ScenarioContext,
  api: Api,
): Promise<void> {
  const { token } = await api.post<{ token: string }>('/v1/token', {
    account: 'john',
    scopes: ['imap-proxy'],
    description: 'a mail client',
  })
  const client = await connectWithRetries(port, token)
  try {
    const mailbox = await client.mailboxOpen('INBOX')
    const message = await client.fetchOne(String(mailbox.exists), { envelope: true })
    if (!message) throw new Error('the IMAP proxy returned no message')
    report(
      `mail client logged in as john through the IMAP proxy on port ${port} with a token; FETCH shows "${message.envelope?.subject ?? ''}"`,
    )
  } finally {
    await client.logout()
  }
}

/**
 * Logs in at the IMAP proxy and retries failed logins: the proxy needs some seconds to apply
 * changed settings.
 */
async function connectWithRetries(port: number, token: string): Promise<ImapFlow> {
  for (let attempt = 1; ; attempt++) {
    const client = new ImapFlow({
      host: '127.0.0.1',
      port,
      secure: false,
      auth: { user: 'john', pass: token },
      logger: false,
    })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return client
    } catch (error) {
      if (attempt === 100) throw error
      await delay(100)
    }
  }
}

function elapsed(started: number): string {
  return `${(performance.now() - started).toFixed(0)} ms`
}

/** Minimal client of the Posthorn API. */
interface Api {
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: unknown): Promise<T>
}

function createApi(url: string, token: string): Api {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const result = (await response.json()) as T & { message?: string }
    if (!response.ok)
      throw new Error(`${method} ${path} answered ${response.status}: ${result.message ?? ''}`)
    return result
  }
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
  }
}
