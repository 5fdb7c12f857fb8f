import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { CreateOAuth2AppInput } from '@posthorn/client'
import { VirtualClock } from '@posthorn/testkit/providers'
import { type GmailFake, startGmailFake } from '@posthorn/testkit/providers/gmail'
import { type GraphFake, type GraphFakeOptions, startGraphFake } from '@posthorn/testkit/graph-fake'
import type { WorldAccess } from './world.ts'

/** Fakes of Gmail and Microsoft Graph, with their token endpoints. */
export interface ProviderFakes extends AsyncDisposable {
  readonly gmail: GmailFake
  readonly graph: GraphFake
  /** Environment variables with which services use the provider fakes. */
  readonly env: Record<string, string>
}

const googleOrigins = ['gmail', 'oauth2', 'pubsub', 'www'].map(
  (name) => `https://${name}.googleapis.com`,
)

export interface ProviderFakesOptions extends Omit<GraphFakeOptions, 'clock' | 'limits'> {
  /**
   * Limits per mailbox: quota units of Gmail per minute, and requests to Graph per 10 minutes. Only
   * for tests that set the virtual clock forward. Default: no limits.
   */
  limits?: { gmailUnits: number; graphRequests: number }
}

/** Starts the fakes of Gmail and Microsoft Graph. */
export async function startProviderFakes({
  limits,
  ...graphOptions
}: ProviderFakesOptions): Promise<ProviderFakes> {
  const clock = new VirtualClock(new Date())
  const gmail = await startGmailFake({ clock, ...(limits && { accountUnits: limits.gmailUnits }) })
  gmail.switches.limits = limits !== undefined
  // By default the Graph fake limits no requests, because requests would count forever while the
  // virtual clock of the fakes stands still.
  const requests = limits?.graphRequests ?? Infinity
  const graph = await startGraphFake({
    clock,
    ...graphOptions,
    limits: { requests, uploadBytes: Infinity },
  })
  const origins = [
    ...googleOrigins.map((origin) => [origin, gmail.origin]),
    ...Object.entries(graph.origins),
  ]
  return {
    gmail,
    graph,
    env: {
      SVC_PROVIDER_ORIGINS: origins.map((pair) => pair.join('=')).join(','),
      SVC_API_POLL_INTERVAL: '500ms',
      // Higher limit of quota units than published, because the published limits permit senders
      // only about 11 messages per minute and mailbox.
      SVC_PROVIDER_LIMITS: JSON.stringify({ gmail: { accountUnits: 1_000_000 } }),
    },
    async [Symbol.asyncDispose]() {
      await gmail[Symbol.asyncDispose]()
      await graph[Symbol.asyncDispose]()
    },
  }
}

/**
 * Lets the virtual clock of the provider fakes follow the real clock. Returns a function that stops
 * the virtual clock.
 */
export function followRealTime({ gmail }: ProviderFakes): () => void {
  let last = Date.now()
  const timer = setInterval(() => {
    const now = Date.now()
    gmail.clock.advance(now - last)
    last = now
  }, 20)
  return () => clearInterval(timer)
}

const serviceAccount = 'posthorn@project.iam.gserviceaccount.com'

/**
 * Registers one OAuth2 application for Gmail and one for Microsoft Graph, which need no consent of
 * owners. Returns the ids of the applications. With an application for Pub/Sub, Gmail accounts get
 * notifications.
 */
export async function createApiApps(
  world: Pick<WorldAccess, 'posthorn'>,
  { pubSubApp }: { pubSubApp?: string } = {},
): Promise<{ gmail: string; graph: string }> {
  return {
    gmail: await createApp(world, {
      ...serviceApp(),
      baseScopes: 'api',
      ...(pubSubApp !== undefined && { pubSubApp }),
    }),
    graph: await createApp(world, {
      provider: 'outlookService',
      baseScopes: 'api',
      clientId: '00000000-1111-2222-3333-444444444444',
      clientSecret: randomBytes(16).toString('hex'),
      authority: 'contoso.example',
    }),
  }
}

export interface PubSubApp {
  id: string
  topic: string
  subscription: string
  /** Email address of the service account that signs Pub/Sub pushes. */
  signer: string
}

/**
 * Registers an OAuth2 application for Pub/Sub. A sync-worker then creates the topic and the
 * subscription of the application.
 */
export async function createPubSubApp(world: Pick<WorldAccess, 'posthorn'>): Promise<PubSubApp> {
  const project = 'project-1'
  const id = await createApp(world, {
    ...serviceApp(),
    baseScopes: 'pubsub',
    googleProjectId: project,
  })
  return {
    id,
    topic: `projects/${project}/topics/posthorn-${id}`,
    subscription: `projects/${project}/subscriptions/posthorn-${id}`,
    signer: serviceAccount,
  }
}

type NewApp = CreateOAuth2AppInput['body']

function serviceApp() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    provider: 'gmailService',
    serviceClient: '1234',
    serviceClientEmail: serviceAccount,
    serviceKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  } satisfies Partial<NewApp>
}

async function createApp(
  { posthorn }: Pick<WorldAccess, 'posthorn'>,
  app: Omit<NewApp, 'name'>,
): Promise<string> {
  const body = { name: 'Mail API', enabled: true, ...app }
  return (await posthorn.createOAuth2App({ body })).id
}
