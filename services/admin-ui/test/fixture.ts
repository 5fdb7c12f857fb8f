import { createHash, randomBytes } from 'node:crypto'
import type { NewLink } from '@posthorn/contracts/admin/people'
import type { Session } from '@posthorn/contracts/admin/session'
import { connectBus } from '@posthorn/bus'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually, testBus, testDatabase } from '@posthorn/testkit'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'

/** Token of the link that sets admin-ui up, and password of all people in tests. */
export const setupToken = 'set-up-token-of-the-tests-with-43-characters'
export const password = 'correct horse battery'

export const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

export interface PageReply<T = Record<string, unknown>> {
  status: number
  headers: Headers
  body: T
}

/** Browser with one session cookie, at one network address. */
export class TestBrowser {
  cookie: string | undefined
  readonly #url: string
  readonly #headers: Record<string, string>

  constructor(url: string, address: string) {
    this.#url = url
    this.#headers = {
      'x-svc-admin': '1',
      origin: url,
      'x-forwarded-for': address,
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    }
  }

  /** Sends a request to admin-ui as the pages do. `headers` replace headers of the pages. */
  async send<T = Record<string, unknown>>(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<PageReply<T>> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        ...this.#headers,
        ...(this.cookie && { cookie: `posthorn-session=${this.cookie}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const set = response.headers.getSetCookie().findLast((text) => /posthorn-session=/.test(text))
    if (set !== undefined) this.cookie = /posthorn-session=([^;]*)/.exec(set)?.[1] || undefined
    const text = await response.text()
    const parsed: unknown = text === '' ? {} : JSON.parse(text)
    return { status: response.status, headers: response.headers, body: parsed as T }
  }

  get<T = Record<string, unknown>>(path: string): Promise<PageReply<T>> {
    return this.send<T>('GET', path)
  }

  post<T = Record<string, unknown>>(path: string, body?: object): Promise<PageReply<T>> {
    return this.send<T>('POST', path, { body })
  }

  signIn(email: string, secret = password): Promise<PageReply<Session>> {
    return this.post<Session>('/admin/session/sign-in', { email, password: secret })
  }

  /** HTTP status of a request for the browser's sign-in session: 200, or 401 without a session. */
  async status(): Promise<number> {
    return (await this.get('/admin/session')).status
  }
}

/** Replica of admin-ui that a test has started. */
export interface Replica {
  url: string
  /** Opens a browser at the replica of admin-ui, by default at a network address of its own. */
  browser(address?: string): TestBrowser
}

export type AdminWorld = Awaited<ReturnType<typeof adminWorld>>

/**
 * Starts the servers of a test file: separate database, virtual host of RabbitMQ, and replicas of
 * admin-ui.
 */
export async function adminWorld(more: Record<string, string> = {}) {
  const stack = new AsyncDisposableStack()
  const database = stack.adopt(await testDatabase(), (database) => database.drop())
  const broker = stack.adopt(await testBus({ reuse: true }), (broker) => broker.drop())
  const env = {
    DATABASE_URL: database.roleUrl('posthorn_admin_ui'),
    AMQP_URL: broker.url,
    SVC_PORT: '0',
    SVC_LOG_LEVEL: 'silent',
    SVC_GATEWAY_URL: 'http://127.0.0.1:9',
    SVC_TRUSTED_PROXIES: '127.0.0.1',
    SVC_ADMIN_SETUP_TOKEN: setupToken,
    ...more,
  }
  const newAddress = () => `10.${[...randomBytes(3)].join('.')}`
  return {
    db: database.db,
    env,
    async start(): Promise<Replica> {
      const app = await startApp(readConfig(env), new AbortController().signal)
      stack.use(app)
      const url = `http://127.0.0.1:${app.port}`
      await untilBusIsUp(url)
      return { url, browser: (address = newAddress()) => new TestBrowser(url, address) }
    },
    /** Connects to RabbitMQ, for broadcasts that invalidate caches. */
    async connectBus() {
      const [log, metrics] = [createLogger('test', 'silent'), createMetrics('test')]
      const bus = stack.use(await connectBus({ url: broker.url, name: 'test', log, metrics }))
      await bus.whenUp()
      return bus
    },
    stop: () => stack.disposeAsync(),
  }
}

async function untilBusIsUp(url: string): Promise<void> {
  const isUp = async () => {
    const response = await fetch(`${url}/metrics`)
    return /^posthorn_bus_up\{[^}]*\} 1$/m.test(await response.text())
  }
  await eventually(isUp, { timeoutMs: 120_000 })
}

/** Creates the first owner of admin-ui with the set-up link. The browser is then signed in. */
export async function setUpOwner(replica: Replica, email = 'owner@example.com') {
  const browser = replica.browser()
  const person = { email, name: 'Olivia Owner', password }
  const reply = await browser.post<Session>('/admin/session/set-up', {
    token: setupToken,
    ...person,
  })
  if (reply.status !== 200) throw new Error(`set-up failed: ${JSON.stringify(reply.body)}`)
  return { browser, session: reply.body }
}

export const tokenOf = ({ link }: Pick<NewLink, 'link'>) => /#token=(.*)$/.exec(link)?.[1] ?? ''

/** Invites a person by an owner and accepts the invitation. The new browser is signed in. */
export async function join(
  owner: TestBrowser,
  replica: Replica,
  person: { email: string; role: string; mayReadMail?: boolean },
) {
  const invited = await owner.post<NewLink>('/admin/people/invitations', person)
  const browser = replica.browser()
  const accepted = { token: tokenOf(invited.body), name: 'New Person', password }
  const reply = await browser.post<Session>('/admin/session/invitation', accepted)
  if (reply.status !== 200) throw new Error(`invitation failed: ${JSON.stringify(reply.body)}`)
  return { browser, session: reply.body }
}
