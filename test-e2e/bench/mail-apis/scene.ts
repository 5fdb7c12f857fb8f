import type { LoggedRequest } from '@posthorn/testkit/providers'
import {
  createApiApps,
  followRealTime,
  type ProviderFakes,
  startProviderFakes,
} from '../../provider-fakes.ts'
import { freshMessageId, plainMessage, startWorld, type World } from '../../world.ts'
import { containerOptions } from '../container-options.ts'

export type ProviderName = 'gmail' | 'graph'

export const graphMailbox = 'ann@contoso.example'
export const gmailMailbox = 'jane@workspace.example'

/** Number of messages in each mailbox of the benchmark. */
export const mailboxSize = 100_000
export const graphFolders = 40

/**
 * Factor by which poll intervals are shorter than by default, in measurements without the real
 * limits of the providers.
 */
export const shortening = 100

/**
 * Access to the accounts of a measurement through the whole system, and to their mailboxes at the
 * fakes.
 */
export interface Scene extends AsyncDisposable {
  readonly world: World
  readonly fakes: ProviderFakes
  readonly apps: { gmail: string; graph: string }
  /** Suffix of the names of measured figures. Not empty if the published limits applied. */
  readonly limits: string
}

const unlimited = {
  SVC_PROVIDER_LIMITS: JSON.stringify({
    gmail: { accountUnits: 100_000_000, applicationUnits: 100_000_000 },
    graph: { accountUnits: 10_000_000, applicationUnits: 10_000_000 },
  }),
  SVC_API_POLL_INTERVAL: `${45_000 / shortening}ms`,
  SVC_API_POLL_INTERVAL_WITH_PUSH: `${600_000 / shortening}ms`,
  SVC_API_INBOX_POLL_INTERVAL: `${60_000 / shortening}ms`,
}
const published = { SVC_PROVIDER_LIMITS: '{}', SVC_API_POLL_INTERVAL: '45s' }

/**
 * Starts the system and both provider fakes. The clock of the fakes follows real time. With `real`,
 * the workers respect the published limits of both providers, and the fake of Gmail enforces the
 * published limits of Gmail.
 */
export async function startScene(limits: 'none' | 'real'): Promise<Scene> {
  await using stack = new AsyncDisposableStack()
  const isLimited = limits === 'real'
  const fakes = stack.use(
    await startProviderFakes({ mailboxes: [graphMailbox], handshakes: false }),
  )
  fakes.gmail.switches.limits = isLimited
  // More delta links of Graph stay valid than usual, because requests are sent again with links
  // that later polls have replaced.
  fakes.graph.delta.faults.liveLinks = 200
  stack.defer(followRealTime(fakes))
  const world = stack.use(
    await startWorld({
      servers: 'own',
      durable: true,
      env: { ...fakes.env, ...(isLimited ? published : unlimited) },
      envByService: await containerOptions(),
    }),
  )
  await world.posthorn.updateSettings({ body: { notificationBaseUrl: world.url } })
  const apps = await createApiApps(world)
  const resources = stack.move()
  return {
    world,
    fakes,
    apps,
    limits: isLimited ? ', real limits' : '',
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/**
 * Registers an account. Resolves with the time until the end of the account's first sync in
 * milliseconds.
 */
export async function connect(
  { world, apps }: Scene,
  provider: ProviderName,
  options: { account?: string; user?: string; app?: string } = {},
): Promise<number> {
  const { account = provider, user = provider === 'gmail' ? gmailMailbox : graphMailbox } = options
  const { app = apps[provider] } = options
  const from = performance.now()
  const body = { account, name: 'Jane', oauth2: { provider: app, auth: { user } } }
  await world.posthorn.createAccount({ body })
  await world.webhook(
    (webhook) => webhook.account === account && webhook.event === 'accountInitialized',
    600_000,
  )
  return performance.now() - from
}

const monthMs = 30 * 86_400_000

/**
 * Labels of each Gmail message of the benchmark. With four labels, the first sync reads five lists
 * of all messages, including the list of the mailbox.
 */
const gmailLabels = ['INBOX', 'UNREAD', 'CATEGORY_PERSONAL', 'IMPORTANT']

/** Adds a Gmail mailbox with messages that arrived a month ago. */
export function fillGmail({ fakes }: Scene, address: string) {
  const mailbox = fakes.gmail.addMailbox(address)
  const raw = plainMessage({ messageId: freshMessageId() })
  const internalDate = Date.now() - monthMs
  for (let count = 0; count < mailboxSize; count++)
    mailbox.deliver(raw, { labels: gmailLabels, internalDate })
  return mailbox
}

/** Fills the Graph mailbox with messages in the inbox and in further folders. */
export function fillGraph({ fakes: { graph } }: Scene): void {
  const folders = Array.from({ length: graphFolders - 1 }, (_, at) =>
    graph.mailbox.addFolder({ name: `Folder ${at}` }),
  )
  const raw = Buffer.from(plainMessage({ messageId: freshMessageId() }))
  const receivedAt = Date.now() - monthMs
  for (let count = 0; count < mailboxSize; count++) {
    const folder = folders[count % graphFolders]
    graph.mailbox.deliver({ raw, receivedAt, ...(folder && { folderId: folder.id }) })
  }
}

/** Requests that a provider fake received, without the parts of batches. */
export function requestsOf({ fakes }: Scene, provider: ProviderName): LoggedRequest[] {
  const { log } = provider === 'gmail' ? fakes.gmail.fake : fakes.graph.server
  return log.filter(({ headers }) => headers.host !== undefined)
}

/**
 * Quota units of the requests that the Gmail fake has received since `position`, including parts of
 * batches.
 */
export function unitsSince({ fakes }: Scene, position: number): number {
  return fakes.gmail.fake.log.slice(position).reduce((sum, { units }) => sum + units, 0)
}

/**
 * Sends logged requests again as a bare client, one after the other. Returns the time in
 * milliseconds.
 *
 * @throws Error for a response whose status differs from the logged status, because it may have
 * been less work
 */
export async function replayMs(
  { fakes }: Scene,
  provider: ProviderName,
  requests: readonly LoggedRequest[],
): Promise<number> {
  const { origin } = provider === 'gmail' ? fakes.gmail : fakes.graph.server
  const from = performance.now()
  for (const { operation, method, path, query, headers, raw, status } of requests) {
    const { host: _, connection: __, 'content-length': ___, ...sent } = headers
    const response = await fetch(`${origin}${path}?${query.toString()}`, {
      method,
      headers: sent as Record<string, string>,
      ...(raw.length > 0 && { body: new Uint8Array(raw) }),
    })
    await response.arrayBuffer()
    if (response.status !== status)
      throw new Error(`${operation}: status ${response.status}, before ${status ?? 'none'}`)
  }
  return performance.now() - from
}
