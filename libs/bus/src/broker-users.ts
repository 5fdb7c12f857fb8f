import { permissionsOf, roleOf, serviceNames } from '@posthorn/contracts'

export interface BrokerUsers {
  /** RabbitMQ's management API, with the login of an administrator. */
  api: string
  vhost: string
  /** By user, `posthorn_sender`. A user that is not named here keeps its password, and must be there. */
  passwords: Readonly<Record<string, string>>
}

/**
 * Makes a user for each service that may do in the virtual host what the service does and no more, and gives it its password. Safe to
 * repeat. Users belong to the broker, not to a virtual host.
 */
export async function setBrokerUsers({ api, vhost, passwords }: BrokerUsers): Promise<void> {
  for (const service of serviceNames) {
    const user = roleOf(service)
    const password = passwords[user]
    if (password !== undefined) await put(api, `/api/users/${user}`, { password, tags: '' })
    await put(api, `/api/permissions/${encodeURIComponent(vhost)}/${user}`, permissionsOf(service))
  }
}

async function put(api: string, path: string, body: object): Promise<void> {
  const { origin, username, password } = new URL(api)
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const response = await fetch(`${origin}${path}`, {
    method: 'PUT',
    headers: {
      authorization: `Basic ${Buffer.from(login).toString('base64')}`,
      'content-type': 'application/json',
      // The broker closes connections that rest without a word; one that is kept may be gone when it is used again.
      connection: 'close',
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(15_000),
  })
  const text = await response.text()
  if (!response.ok)
    throw new Error(`RabbitMQ answered PUT ${path} with ${response.status}: ${text.slice(0, 300)}`)
}
