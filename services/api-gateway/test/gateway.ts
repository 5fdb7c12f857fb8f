import { connectBus } from '@posthorn/bus'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually, testBus, testDatabase } from '@posthorn/testkit'
import { startApp } from '../src/app.ts'
import { type Config, readConfig } from '../src/config.ts'

/** Access token with all permissions that exists in the database of each test. */
export const admin = 'a'.repeat(64)

export interface CallOptions {
  token?: string | null
  body?: unknown
  headers?: Record<string, string>
}

export interface Answer {
  status: number
  headers: Headers
  /**
   * Body of an API response. The type is loose, because each test asserts its own members of the
   * body.
   */
  body: Record<string, unknown> & { fields?: { path: string }[] }
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>

export interface TestGateway extends AsyncDisposable {
  url: string
  call: Call
}

/**
 * Servers of a test file: a separate database, in the role of api-gateway, and a RabbitMQ virtual
 * host.
 */
export async function testServers() {
  const [database, broker] = await Promise.all([testDatabase(), testBus({ reuse: true })])
  const gateways: TestGateway[] = []
  const env = {
    DATABASE_URL: database.roleUrl('posthorn_api_gateway'),
    AMQP_URL: broker.url,
    SVC_PORT: '0',
    SVC_LOG_LEVEL: 'silent',
    SVC_SECRET: 'a secret of the tests, of 32 characters',
    SVC_PREPARED_TOKEN: admin,
  }
  return {
    db: database.db,
    database,
    broker,
    env,
    /**
     * Connects a fake of another service to the bus. The test disposes the connection. Waits until
     * connected: without a connection, `serve` and `onInvalidate` return without a queue, and
     * invalidations are dropped.
     */
    async connectBus() {
      const [log, metrics] = [createLogger('test', 'silent'), createMetrics('test')]
      const bus = await connectBus({ url: broker.url, name: 'test', log, metrics })
      await bus.whenUp()
      return bus
    },
    /**
     * Starts an api-gateway on a free port, which stops together with the test servers. Waits for
     * the gateway's connection to RabbitMQ, unless the test has a separate broker or uses TLS.
     */
    async start(
      more: Record<string, string> = {},
      changes: Partial<Config> = {},
    ): Promise<TestGateway> {
      const config = { ...readConfig({ ...env, ...more }), ...changes }
      const app = await startApp(config, new AbortController().signal)
      const url = `http://127.0.0.1:${app.port}`
      if (!('AMQP_URL' in more || 'SVC_TLS_CERT' in more)) await untilBusIsUp(url)
      const gateway = {
        url,
        call: caller(url),
        [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
      }
      gateways.push(gateway)
      return gateway
    },
    stop: async () => {
      await Promise.all(gateways.map((gateway) => gateway[Symbol.asyncDispose]()))
      await Promise.all([database.drop(), broker.drop()])
    },
  }
}

/**
 * Waits until the gateway is connected to RabbitMQ. Before, operations that need a worker respond
 * 503.
 */
export async function untilBusIsUp(url: string): Promise<void> {
  await eventually(
    async () => {
      const response = await fetch(`${url}/metrics`)
      const text = await response.text()
      return response.status === 404 || /^posthorn_bus_up\{[^}]*\} 1$/m.test(text)
    },
    // A busy RabbitMQ may reject a connection of the gateway, whose next attempt follows after a
    // backoff.
    { timeoutMs: 120_000 },
  )
}

function caller(url: string): Call {
  return async (method, path, { token = admin, body, headers = {} } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: JSON.parse(text) as Answer['body'],
    }
  }
}

/** Complete registration of an account. */
export function registration(account: string) {
  const auth = { user: `${account}@mail.example`, pass: `pass of ${account}` }
  return {
    account,
    name: `Name of ${account}`,
    imap: { host: 'imap.mail.example', port: 993, secure: true, auth },
    smtp: { host: 'smtp.mail.example', port: 587, auth },
  }
}

/** Creates an access token through the API and returns its value. */
export async function mint(call: Call, body: object, token = admin): Promise<string> {
  const answer = await call('POST', '/v1/tokens', { token, body })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return String(answer.body['token'])
}
