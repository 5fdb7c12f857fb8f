import { Posthorn } from '@posthorn/client'
import { expect, test } from '@jest/globals'
import { createListenRoute } from './listen-route.ts'

interface Request {
  method: string
  body?: { enabled?: boolean; expiresAt?: string }
}

/** Fake API whose clock is wrong by `offsetMs`. Requests with the HTTP method `failing` fail. */
function startApi({ offsetMs = 0, failing = '', problem = {} }) {
  const requests: Request[] = []
  const respond = (_url: unknown, { method = '', body }: RequestInit = {}) => {
    const text =
      typeof body === 'string' ? body : body && Buffer.from(body as Uint8Array).toString()
    requests.push({ method, ...(text && { body: JSON.parse(text) as Request['body'] }) } as Request)
    if (method === failing)
      return Promise.resolve(Response.json({ message: 'failed', ...problem }, { status: 400 }))
    const created = new Date(Date.now() + offsetMs).toISOString()
    return Promise.resolve(
      Response.json({ id: 'route', created: method === 'GET' ? created : true }),
    )
  }
  const fetch = respond as typeof globalThis.fetch
  return { requests, client: new Posthorn({ url: 'http://api.test', fetch, retryForMs: 0 }) }
}

const route = { name: 'listen', targetUrl: 'http://127.0.0.1:1/' }
const options = { signal: new AbortController().signal, onLost: () => undefined }

test.each([0, 5 * 3_600_000, -5 * 3_600_000])(
  'createListenRoute: the time of the route is of the clock of the server (%d ms)',
  async (offsetMs) => {
    const { client, requests } = startApi({ offsetMs })
    const before = Date.now()
    await using _route = await createListenRoute(client, route, options)
    const [created, , updated] = requests
    expect(created).toMatchObject({ method: 'POST', body: { enabled: false } })
    expect(updated).toMatchObject({ method: 'PUT', body: { enabled: true } })
    const expiresAt = Date.parse(updated?.body?.expiresAt ?? '') - offsetMs
    expect(expiresAt).toBeGreaterThanOrEqual(before + 60_000)
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 61_000)
    // The server must not delete the new webhook route before the expiry of the route is set.
    expect(Date.parse(created?.body?.expiresAt ?? '')).toBeGreaterThan(Date.now() + offsetMs)
  },
)

test.each(['GET', 'PUT'])('createListenRoute: deletes the route if %s fails', async (failing) => {
  const { client, requests } = startApi({ failing })
  await expect(createListenRoute(client, route, options)).rejects.toThrow('failed')
  expect(requests.at(-1)).toMatchObject({ method: 'DELETE' })
})

test.each([
  ['"expiresAt" must be in the future', 'the clock of this machine'],
  ['"expiresAt" is not allowed', 'the server is older'],
])('createListenRoute: %s: %s', async (message, reason) => {
  const fields = [{ message, key: 'expiresAt', path: 'expiresAt' }]
  const { client } = startApi({ failing: 'POST', problem: { fields } })
  await expect(createListenRoute(client, route, options)).rejects.toThrow(reason)
})
