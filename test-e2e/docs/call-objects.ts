import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Posthorn } from '@posthorn/client'
import { ids } from '@posthorn/contracts/openapi/examples/cast'
import type { System } from '@posthorn/local'
import { eventually } from '@posthorn/testkit'

/**
 * Values of a running system that replace example values in a documented API call, by example
 * value.
 */
export type Replacements = Readonly<Record<string, string>>

/** Ids that no account and no submission has. */
const absentIds = Array.from({ length: 1_000 }, (_, n) => `absent-${n}`)

/**
 * Creates the accounts, messages and other objects whose ids the calls of the reference pages need.
 */
export class CallObjects implements AsyncDisposable {
  readonly #posthorn: Posthorn
  readonly #system: System
  readonly #receiver: Server
  #count = 0

  private constructor(system: System, receiver: Server) {
    this.#system = system
    this.#receiver = receiver
    this.#posthorn = new Posthorn({ url: system.url, token: system.token })
  }

  /** Connects the account `jane` with the mailboxes that the calls of the reference pages name. */
  static async create(system: System): Promise<CallObjects> {
    // A redirect is a permanent failure of a webhook delivery, which can be replayed.
    const receiver = createServer((_request, response) => response.writeHead(302).end())
    receiver.listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const objects = new CallObjects(system, receiver)
    await objects.#register('jane')
    for (const path of ['Archive', 'News', 'Drafts', 'Trash'])
      await objects.#posthorn
        .createMailbox({ account: 'jane', body: { path } })
        .catch(ignoreExisting)
    return objects
  }

  /** Registers an account of its own for documented calls that change or delete an account. */
  async account(): Promise<Replacements> {
    const { jane: account = '' } = await this.unusedName('jane')
    await this.#register(account)
    return { jane: account }
  }

  async message(): Promise<Replacements> {
    const attachments = [{ filename: 'invoice.pdf', content: 'JVBERi0xLjQK' }]
    const text = 'Dear Jane, please find the invoice attached. Ada'
    const content = { subject: 'Invoice', text, attachments, from: { address: 'ada@example.org' } }
    const { id = '' } = await this.#posthorn.uploadMessage({
      account: 'jane',
      body: { path: 'INBOX', ...content },
    })
    const detail = await this.#posthorn.getMessage({ account: 'jane', message: id })
    return {
      [ids.text]: detail.text?.id ?? '',
      [ids.attachment]: detail.attachments?.[0]?.id ?? '',
      [ids.message]: id,
    }
  }

  async draft(): Promise<Replacements> {
    const to = [{ address: 'ada@mail.test' }]
    const body = { path: 'Drafts', flags: ['\\Draft'], to, subject: 'Hello', text: 'Dear Ada' }
    const { id = '' } = await this.#posthorn.uploadMessage({ account: 'jane', body })
    return { [ids.draft]: id }
  }

  async mailbox(path: string[]): Promise<Replacements> {
    await this.#posthorn.createMailbox({ account: 'jane', body: { path } }).catch(ignoreExisting)
    return {}
  }

  /**
   * Creates the mailbox `Clients`, and deletes mailboxes with its new name, so that it can be
   * renamed.
   */
  async renamableMailbox(): Promise<Replacements> {
    const { mailboxes } = await this.#posthorn.listMailboxes({ account: 'jane' })
    for (const { path } of mailboxes.filter(({ path: name }) => /^Customers\b/.test(name)))
      await this.#posthorn.deleteMailbox({ account: 'jane', path })
    return this.mailbox(['Clients'])
  }

  /** Submits a message that waits in the outbox until a later date. */
  async submission(): Promise<Replacements> {
    const to = [{ address: 'ada@mail.test' }]
    const body = { to, subject: 'Hello', text: 'Dear Ada', sendAt: '2040-01-01T00:00:00.000Z' }
    const { queueId } = await this.#posthorn.submitMessage({ account: 'jane', body })
    return { [ids.submission]: queueId ?? '' }
  }

  /** Held submission, which can be released. */
  async heldSubmission(): Promise<Replacements> {
    const replacements = await this.submission()
    const [queueId = ''] = Object.values(replacements)
    await this.#posthorn.holdOutboxEntry({ queueId })
    return replacements
  }

  async export(): Promise<Replacements> {
    const dates = { startDate: '2020-01-01T00:00:00.000Z', endDate: '2040-01-01T00:00:00.000Z' }
    const { exportId } = await this.#posthorn.createExport({ account: 'jane', body: dates })
    await eventually(async () => {
      const { status } = await this.#posthorn.getExport({ account: 'jane', exportId })
      return status === 'completed'
    })
    return { [ids.export]: exportId }
  }

  async blocklist(): Promise<Replacements> {
    await this.#posthorn.addToBlocklist({
      listId: 'news',
      body: { account: 'jane', recipient: 'ada@example.org' },
    })
    return {}
  }

  /** Name that no object of the system has, instead of the name in the example. */
  async unusedName(name: string): Promise<Replacements> {
    this.#count += 1
    return { [name]: `${name}-${this.#count}` }
  }

  async gateway(): Promise<Replacements> {
    const { relay: gateway = '' } = await this.unusedName('relay')
    await this.#posthorn.createGateway({
      body: { gateway, name: 'Relay', host: 'relay.example.com', port: 587 },
    })
    return { relay: gateway }
  }

  async app(): Promise<Replacements> {
    const { id } = await this.#posthorn.createOAuth2App({
      body: {
        name: 'Keycloak',
        provider: 'generic',
        enabled: true,
        clientId: 'posthorn',
        clientSecret: 's3cret',
        redirectUrl: `${this.#system.url}/oauth`,
        authorizeUrl: 'http://127.0.0.1:9/authorize',
        tokenUrl: 'http://127.0.0.1:9/token',
        imap: { host: '127.0.0.1', port: 993, secure: true },
        smtp: { host: '127.0.0.1', port: 465, secure: true },
      },
    })
    return { [ids.app]: id }
  }

  /** OAuth2 application with an account, whose provider does not respond. */
  async accountOfApp(): Promise<Replacements> {
    const app = await this.app()
    const { jane: account = '' } = await this.unusedName('jane')
    const [provider = ''] = Object.values(app)
    const oauth2 = { provider, auth: { user: `${account}@mail.test` }, refreshToken: 'r3fresh' }
    await this.#posthorn.createAccount({ body: { account, name: 'Jane', oauth2 } })
    return { ...app, jane: account }
  }

  async template(): Promise<Replacements> {
    const { id } = await this.#posthorn.createTemplate({
      body: { account: null, name: 'Welcome', content: { subject: 'Welcome', text: 'Hello' } },
    })
    return { [ids.template]: id }
  }

  async token(): Promise<Replacements> {
    const { id } = await this.#posthorn.createToken({
      body: { account: 'jane', scopes: ['api'], description: 'Test' },
    })
    return { [ids.token]: id }
  }

  async route(): Promise<Replacements> {
    const { id } = await this.#posthorn.createWebhookRoute({
      body: { name: 'Invoices', targetUrl: this.#target, content: { fn: 'return false' } },
    })
    return { [ids.route]: id }
  }

  /** Stored event of the account `jane`, which was registered before. */
  async event(): Promise<Replacements> {
    const { events } = await this.#posthorn.listEvents({ pageSize: 1 })
    return { [ids.event]: events[0]?.id ?? '' }
  }

  /**
   * Failed webhook delivery, which can be replayed once. Earlier calls may have started replays in
   * the background, which would replay this delivery, too.
   */
  async delivery(): Promise<Replacements> {
    await eventually(async () => {
      const { replays } = await this.#posthorn.listWebhookReplays({})
      return replays.every(({ state }) => state === 'done')
    })
    await this.#posthorn.updateSettings({
      body: { webhooks: this.#target, webhooksEnabled: true, webhookEvents: ['*'] },
    })
    const isFailed = { state: 'failed' } as const
    const { jane: account = '' } = await this.unusedName('jane')
    await this.#posthorn.createAccount({ body: { account, name: 'Jane' } })
    const delivery = await eventually(async () => {
      const { deliveries } = await this.#posthorn.listWebhookDeliveries(isFailed)
      return deliveries.find(({ replayedAt }) => replayedAt === null) ?? false
    })
    return { [ids.delivery]: delivery.id }
  }

  /** Bulk job on accounts that do not exist, which runs for seconds and can be cancelled. */
  async accountJob(): Promise<Replacements> {
    const { id } = await this.#posthorn.createAccountJob({
      body: { action: 'sync', ids: absentIds },
    })
    return { [ids.job]: id }
  }

  /** Bulk job on submissions that do not exist, which runs for seconds and can be cancelled. */
  async outboxJob(): Promise<Replacements> {
    const { id } = await this.#posthorn.createOutboxJob({
      body: { action: 'release', ids: absentIds },
    })
    return { [ids.job]: id }
  }

  async replay(): Promise<Replacements> {
    const { id } = await this.#posthorn.createWebhookReplay({ body: { target: 'default' } })
    return { [ids.replay]: id }
  }

  /** Id of the only sync-worker, which keeps its shards although it is released. */
  async worker(): Promise<Replacements> {
    const { workers } = await this.#posthorn.listWorkers({})
    return { [ids.worker]: workers.find(({ alive }) => alive)?.id ?? '' }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#receiver.close()
    await once(this.#receiver, 'close')
  }

  get #target(): string {
    return `http://127.0.0.1:${(this.#receiver.address() as AddressInfo).port}/hook`
  }

  /**
   * Registers an account at the mail server of the system, and waits until the account is
   * connected.
   */
  async #register(account: string): Promise<void> {
    const { mail } = this.#system
    if (mail === undefined) throw new Error('the system has no mail server')
    const options = { auth: { user: account, pass: mail.password }, secure: false }
    const server = { ...options, host: mail.host, tls: { rejectUnauthorized: false } }
    await this.#posthorn.createAccount({
      body: {
        account,
        name: 'Jane',
        email: `${account}@mail.test`,
        imap: { ...server, port: mail.imapPort },
        smtp: { ...server, port: mail.submissionPort },
      },
    })
    await eventually(async () => {
      const { state } = await this.#posthorn.getAccount({ account })
      return state === 'connected'
    })
  }
}

function ignoreExisting(error: unknown): void {
  if (!/exist/i.test(String(error))) throw error
}
