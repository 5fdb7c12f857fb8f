import { setBrokerUsers } from '@posthorn/bus/broker-users'
import { rolePasswords } from '../role-passwords.ts'

/** Addresses of a RabbitMQ server. `api` is the management API, with user and password. */
export interface RabbitAddress {
  /** AMQP URL of the server, `amqp://user:password@host:port`, without a virtual host. */
  amqp: string
  api: string
}

/**
 * Creates a RabbitMQ virtual host unless it exists and grants the user full access. Returns the
 * AMQP address of the virtual host.
 */
export async function createVhost({ amqp, api }: RabbitAddress, name: string): Promise<string> {
  const user = decodeURIComponent(new URL(api).username)
  await call(api, `PUT /api/vhosts/${encodeURIComponent(name)}`, {})
  const everything = { configure: '.*', write: '.*', read: '.*' }
  const path = `/api/permissions/${encodeURIComponent(name)}/${encodeURIComponent(user)}`
  await call(api, `PUT ${path}`, everything)
  return `${amqp}/${encodeURIComponent(name)}`
}

/**
 * Grants the services access to a RabbitMQ virtual host, each as its own user. The passwords are
 * derived from the administrator's password: users belong to the broker, so all test runs on one
 * broker must set the same passwords.
 */
export async function grantServices({ api }: Pick<RabbitAddress, 'api'>, vhost: string) {
  await setBrokerUsers({ api, vhost, passwords: rolePasswords(api) })
}

/** Deletes a RabbitMQ virtual host. A missing virtual host is no error. */
export async function dropVhost({ api }: RabbitAddress, name: string): Promise<void> {
  await call(api, `DELETE /api/vhosts/${encodeURIComponent(name)}`)
}

export async function listVhosts({ api }: RabbitAddress): Promise<string[]> {
  const vhosts = (await call(api, 'GET /api/vhosts?columns=name')) as { name: string }[]
  return vhosts.map(({ name }) => name)
}

interface NamedResource {
  name: string
  vhost: string
}

/**
 * Closes all client connections of a RabbitMQ virtual host from the broker's side. Returns their
 * number.
 */
export async function closeConnections({ api }: RabbitAddress, vhost: string): Promise<number> {
  // The connection list of a single virtual host is empty without the plugin's statistics.
  const all = (await call(api, 'GET /api/connections?columns=name,vhost')) as NamedResource[]
  const connections = all.filter((connection) => connection.vhost === vhost)
  for (const { name } of connections)
    await call(api, `DELETE /api/connections/${encodeURIComponent(name)}`)
  return connections.length
}

/**
 * Maximum connections tried per request to the management API: the broker closes a connection whose
 * request takes longer than 5 s.
 */
const maxConnections = 5

/**
 * Sends a request to the management API, again if its connection fails: all requests are
 * idempotent.
 */
async function call(api: string, request: string, body?: object): Promise<unknown> {
  for (let connection = 1; ; connection += 1) {
    try {
      return await callOnce(api, request, body)
    } catch (error) {
      // `fetch` rejects with a TypeError if the connection fails.
      const isLost = ['TypeError', 'TimeoutError'].includes((error as Error).name)
      if (!isLost || connection === maxConnections) throw error
    }
  }
}

async function callOnce(api: string, request: string, body?: object): Promise<unknown> {
  const [method = '', path = ''] = request.split(' ')
  const { origin, username, password } = new URL(api)
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(login).toString('base64')}`,
      'content-type': 'application/json',
      // The management API closes idle connections, so a pooled connection may be closed when it is
      // used.
      connection: 'close',
    },
    signal: AbortSignal.timeout(15_000),
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  if (!response.ok && !(method === 'DELETE' && response.status === 404))
    throw new Error(`RabbitMQ answered ${request} with ${response.status}: ${text.slice(0, 300)}`)
  return text === '' ? undefined : JSON.parse(text)
}
