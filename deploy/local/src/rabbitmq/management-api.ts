import { setBrokerUsers } from '@posthorn/bus/broker-users'
import { rolePasswords } from '../role-passwords.ts'

/** URLs of a RabbitMQ server. `api` is the URL of the management API, with user and password. */
export interface RabbitAddress {
  /** AMQP URL of a RabbitMQ server, `amqp://user:password@host:port`, without a virtual host. */
  amqp: string
  api: string
}

/**
 * Creates a RabbitMQ virtual host unless it exists and grants the user of the management API full
 * access. Returns the AMQP address of the virtual host.
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
 * Grants the services access to a RabbitMQ virtual host, each with its own RabbitMQ user. The
 * passwords are derived from the administrator's password. RabbitMQ users are shared by all virtual
 * hosts, so all test runs on one broker must set equal passwords.
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

/** Lists the names of the queues or exchanges of a RabbitMQ virtual host. */
export async function listNames(
  { api }: RabbitAddress,
  vhost: string,
  kind: 'queues' | 'exchanges',
): Promise<string[]> {
  const path = `/api/${kind}/${encodeURIComponent(vhost)}?columns=name&disable_stats=true`
  const entries = (await call(api, `GET ${path}`)) as { name: string }[]
  return entries.map(({ name }) => name)
}

interface NamedResource {
  name: string
  vhost: string
}

/**
 * Closes all client connections of a RabbitMQ virtual host through the management API. Returns the
 * number of closed connections.
 */
export async function closeConnections(address: RabbitAddress, vhost: string): Promise<number> {
  const names = await listConnections(address, vhost)
  for (const name of names)
    await call(address.api, `DELETE /api/connections/${encodeURIComponent(name)}`)
  return names.length
}

/** Lists the names of all client connections of a RabbitMQ virtual host. */
export async function listConnections({ api }: RabbitAddress, vhost: string): Promise<string[]> {
  // The connections of all RabbitMQ virtual hosts are listed and filtered here. Without statistics,
  // RabbitMQ's management plugin returns an empty list for a single virtual host.
  const all = (await call(api, 'GET /api/connections?columns=name,vhost')) as NamedResource[]
  return all.filter((connection) => connection.vhost === vhost).map(({ name }) => name)
}

/**
 * Maximum attempts per request to the management API, each on a new connection. RabbitMQ closes the
 * connection if a request takes longer than 5 s.
 */
const maxConnections = 5

/**
 * Sends a request to RabbitMQ's management API. If the connection fails, the request is sent again,
 * which is safe because all requests are idempotent.
 */
async function call(api: string, request: string, body?: object): Promise<unknown> {
  for (let connection = 1; ; connection += 1) {
    try {
      return await callOnce(api, request, body)
    } catch (error) {
      // A failed connection to RabbitMQ's management API is recognized as a TypeError, because
      // `fetch` reports it in this way.
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
      // Each request uses a new connection. RabbitMQ's management API closes idle connections, so a
      // reused connection could be closed already.
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
