import { setBrokerUsers } from '@posthorn/bus/broker-users'
import { rolePasswords } from '../role-passwords.ts'

/** The few things of RabbitMQ's management API that we need. `api` is its address, with user and password. */
export interface RabbitAddress {
  /** `amqp://user:password@host:port`, no virtual host. */
  amqp: string
  api: string
}

/** Makes a virtual host, unless it is there, and lets our user use it. Returns its AMQP address. */
export async function createVhost({ amqp, api }: RabbitAddress, name: string): Promise<string> {
  const user = decodeURIComponent(new URL(api).username)
  await call(api, `PUT /api/vhosts/${encodeURIComponent(name)}`, {})
  const everything = { configure: '.*', write: '.*', read: '.*' }
  const path = `/api/permissions/${encodeURIComponent(name)}/${encodeURIComponent(user)}`
  await call(api, `PUT ${path}`, everything)
  return `${amqp}/${encodeURIComponent(name)}`
}

/**
 * Lets the services use a virtual host, each as a user of its own. Their passwords are derived from the administrator's: users belong to the
 * broker, and all that use one (test runs, a demo) must give them the same.
 */
export async function grantServices({ api }: Pick<RabbitAddress, 'api'>, vhost: string) {
  await setBrokerUsers({ api, vhost, passwords: rolePasswords(api) })
}

/** Removes a virtual host with all that is in it. One that is not there is fine. */
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

/** Closes all connections of clients from the broker's side, as an operator or a network would. Returns how many. */
export async function closeConnections({ api }: RabbitAddress, vhost: string): Promise<number> {
  // Not the list below the virtual host: without the plugin's figures that one is empty.
  const all = (await call(api, 'GET /api/connections?columns=name,vhost')) as NamedResource[]
  const connections = all.filter((connection) => connection.vhost === vhost)
  for (const { name } of connections)
    await call(api, `DELETE /api/connections/${encodeURIComponent(name)}`)
  return connections.length
}

async function call(api: string, request: string, body?: object): Promise<unknown> {
  const [method = '', path = ''] = request.split(' ')
  const { origin, username, password } = new URL(api)
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(login).toString('base64')}`,
      'content-type': 'application/json',
      // The broker closes connections that rest without a word; one that is kept may be gone when it is used again.
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
