import { RawClient } from '@posthorn/testkit'
import type { World } from '../world.ts'

/** Result of one request to a service that was sent during an outage of Postgres or RabbitMQ. */
export interface OutageResult {
  /** HTTP status, or the first word of the reply of a mail proxy. */
  status: number | string
  ms: number
}

export interface OutageSubject {
  world: Pick<World, 'url' | 'token' | 'services'>
  /** Id of the connected account. The token is valid for both mail proxies. */
  account: string
  proxyToken: string
  imapPort: number
  smtpPort: number
}

/**
 * Maximum duration of a request to a service in milliseconds: the limit of 2 s and some time for a
 * busy machine. A request that waited for the unavailable server would take longer.
 */
const deadlineMs = 4_000

type Requests = Record<string, () => Promise<number | string>>

function apiCall(
  { url, token }: Pick<World, 'url' | 'token'>,
  ...[method, path, body]: [method: string, path: string, body?: object]
): () => Promise<number> {
  return async () => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(deadlineMs),
    })
    await response.arrayBuffer()
    return response.status
  }
}

export function readAccount({ world, account }: OutageSubject): Requests {
  return { 'read account': apiCall(world, 'GET', `/v1/account/${account}`) }
}

/** Requests to the API during an outage: one request of each kind. */
export function apiRequests(subject: OutageSubject): Requests {
  const { world, account } = subject
  const call = (method: string, path: string, body?: object) => apiCall(world, method, path, body)
  return {
    ...readAccount(subject),
    'list accounts': call('GET', '/v1/accounts'),
    'list outbox': call('GET', '/v1/outbox'),
    'read settings': call('GET', '/v1/settings?notifyText=true'),
    'read logs': call('GET', `/v1/logs/${account}`),
    'list webhook routes': call('GET', '/v1/webhookRoutes'),
    submit: call('POST', `/v1/account/${account}/submit`, {
      to: [{ address: 'b@mail.test' }],
      text: 'x',
      // Time far in the future, so that the submission is not due during the test.
      sendAt: '2100-01-01T00:00:00.000Z',
    }),
    'update settings': call('POST', '/v1/settings', { notifyText: false }),
    'create token': call('POST', '/v1/token', { scopes: ['api'], description: 'outage', account }),
  }
}

/** API requests that become commands to the sync-worker of the account. */
export function accountCommands({ world, account }: OutageSubject): Requests {
  const call = (path: string) => apiCall(world, 'GET', `/v1/account/${account}${path}`)
  return {
    'list mailboxes': call('/mailboxes'),
    'list messages': call('/messages?path=INBOX&pageSize=1'),
  }
}

/** Requests for one path, such as `/metrics`, of each service. */
export function serviceRequests({ world: { services } }: OutageSubject, path: string): Requests {
  return Object.fromEntries(
    Object.entries(services.urls).map(([name, url]) => [
      `${path} of ${name}`,
      async () => {
        const response = await fetch(url + path, { signal: AbortSignal.timeout(deadlineMs) })
        await response.arrayBuffer()
        return response.status
      },
    ]),
  )
}

/**
 * Logins of mail clients at the IMAP proxy and the SMTP proxy. The result of a login is the status
 * of the reply with its first code.
 */
export function proxyLogins({ account, proxyToken, imapPort, smtpPort }: OutageSubject): Requests {
  return {
    'IMAP login': async () => {
      const client = await RawClient.open(imapPort)
      try {
        await client.until(/^\* OK.*\r\n/)
        client.send(`a LOGIN ${account} ${proxyToken}\r\n`)
        const reply = await client.until(/^a .*\r\n/m, deadlineMs)
        return /^a (OK|NO \[\w+\])/m.exec(reply)?.[1] ?? reply
      } finally {
        client.socket.destroy()
      }
    },
    'SMTP login': async () => {
      const client = await RawClient.open(smtpPort)
      try {
        await client.until(/^220 .*\r\n/)
        client.send('EHLO client.test\r\n')
        await client.until(/^250 .*\r\n/m)
        const login = Buffer.from(`\0${account}\0${proxyToken}`).toString('base64')
        client.send(`AUTH PLAIN ${login}\r\n`)
        return (await client.until(/^\d{3} .*\r\n/m, deadlineMs)).slice(0, 3)
      } finally {
        client.socket.destroy()
      }
    },
  }
}

/**
 * Sends all requests concurrently. A request that exceeds its maximum duration gets the status `no
 * response`.
 */
export async function sendAll(requests: Requests): Promise<Record<string, OutageResult>> {
  const results = await Promise.all(
    Object.entries(requests).map(async ([name, send]) => {
      const start = performance.now()
      const status = await send().catch(() => 'no response')
      return [name, { status, ms: Math.round(performance.now() - start) }] as const
    }),
  )
  return Object.fromEntries(results)
}

/** Statuses of the results, by name of the request. */
export function statusesOf(results: Record<string, OutageResult>): Record<string, number | string> {
  return Object.fromEntries(Object.entries(results).map(([name, { status }]) => [name, status]))
}

/** Expected results if all requests have the same status. */
export function allHave(requests: Requests, status: number | string) {
  return Object.fromEntries(Object.keys(requests).map((name) => [name, status]))
}
