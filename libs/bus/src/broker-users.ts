import { permissionsOf } from '@posthorn/contracts/broker-access'
import { optionalServices, roleOf, serviceNames } from '@posthorn/contracts/services'
import { messageOf } from '@posthorn/errors'

export interface BrokerUsers {
  /** URL of RabbitMQ's management API with the credentials of an administrator. */
  api: string
  vhost: string
  /**
   * Passwords of the RabbitMQ users, by user name such as `posthorn_sender`. A user without an
   * entry must exist and keeps its password. The user of an optional service may be missing.
   */
  passwords: Readonly<Record<string, string>>
}

/**
 * Creates or updates one RabbitMQ user per service, with the least permissions in the virtual host.
 * Idempotent. The users exist in all virtual hosts of the broker, the permissions in one.
 */
export async function setBrokerUsers({ api, vhost, passwords }: BrokerUsers): Promise<void> {
  for (const service of serviceNames) {
    const user = roleOf(service)
    const password = passwords[user]
    if (password !== undefined) await putUser(api, user, password)
    else if (optionalServices.includes(service) && !(await userExists(api, user))) continue
    await put(api, `/api/permissions/${encodeURIComponent(vhost)}/${user}`, permissionsOf(service))
  }
}

/**
 * Creates or updates a RabbitMQ user. If two processes create the user at the same time, RabbitMQ
 * rejects one of the requests. The rejected request is then repeated and updates the user.
 */
async function putUser(api: string, user: string, password: string): Promise<void> {
  const body = { password, tags: '' }
  try {
    await put(api, `/api/users/${user}`, body)
  } catch (error) {
    if (!messageOf(error).includes('user_already_exists')) throw error
    await put(api, `/api/users/${user}`, body)
  }
}

async function userExists(api: string, user: string): Promise<boolean> {
  const response = await send(api, { path: `/api/users/${user}`, method: 'GET' })
  if (response.status === 404) return false
  await assertOk(response, `GET /api/users/${user}`)
  return true
}

async function put(api: string, path: string, body: object): Promise<void> {
  await assertOk(await send(api, { path, method: 'PUT', body }), `PUT ${path}`)
}

async function assertOk(response: Response, request: string): Promise<void> {
  const text = await response.text()
  if (!response.ok)
    throw new Error(`${request} failed at RabbitMQ: ${response.status} ${text.slice(0, 300)}`)
}

interface ApiRequest {
  path: string
  method: 'GET' | 'PUT'
  body?: object
}

function send(api: string, { path, method, body }: ApiRequest): Promise<Response> {
  const { origin, username, password } = new URL(api)
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return fetch(`${origin}${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(login).toString('base64')}`,
      'content-type': 'application/json',
      // Requests to RabbitMQ's management API open a new connection. The API closes idle
      // connections without a warning, so a request on a reused connection may fail.
      connection: 'close',
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(15_000),
  })
}
