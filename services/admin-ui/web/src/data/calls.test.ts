import { describe, expect, test } from '@jest/globals'
import { listAccounts } from '@posthorn/client/operations'
import { createCalls } from './calls.ts'
import { type Proof, ProofRequests } from './step-up.ts'

interface Sent {
  url: string
  headers: Headers
}

/**
 * Creates the API calls of the administration pages, with responses from a list. Also returns the
 * requests that the calls have sent.
 */
function callsWith(
  responses: Response[],
  requestProof = (_proof: Proof) => Promise.resolve(false),
) {
  const sent: Sent[] = []
  let checks = 0
  const calls = createCalls({
    origin: 'https://admin.example',
    fetch: (url, init) => {
      sent.push({ url: String(url as string), headers: new Headers(init?.headers) })
      return Promise.resolve(responses.shift() ?? Response.error())
    },
    onUnauthorized: () => (checks += 1),
    requestProof,
  })
  return { calls, sent, checks: () => checks }
}

const json = (status: number, body: object) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
const stepUp = () => json(403, { statusCode: 403, message: 'x', code: 'StepUpRequired' })

describe('createCalls', () => {
  test('operation: is sent through /admin/call with the header of own pages', async () => {
    const { calls, sent } = callsWith([json(200, { total: 0, accounts: [] })])
    await listAccounts(calls.api, { query: 'anna', page: 2 })
    expect(sent[0]?.url).toBe('https://admin.example/admin/call/v1/accounts?query=anna&page=2')
    expect(sent[0]?.headers.get('x-svc-admin')).toBe('1')
    expect(sent[0]?.headers.has('authorization')).toBe(false)
  })

  test('endpoint of admin-ui: parameters are in the path, an empty response is undefined', async () => {
    const { calls, sent } = callsWith([new Response(null, { status: 204 })])
    expect(await calls.admin('DELETE /admin/people/{id}', { id: 'a/b' })).toBeUndefined()
    expect(sent[0]?.url).toBe('https://admin.example/admin/people/a%2Fb')
  })

  test('readFile: is sent with the header of own pages, which plain links do not have', async () => {
    const { calls, sent } = callsWith([new Response('{}\n')])
    const file = await calls.readFile('GET /admin/audit/download', { person: 'anna' })
    expect(await file.text()).toBe('{}\n')
    expect(sent[0]?.url).toBe('https://admin.example/admin/audit/download?person=anna')
    expect(sent[0]?.headers.get('x-svc-admin')).toBe('1')
  })

  test('401: starts a check of the session, except for the check itself', async () => {
    const refused = () => json(401, { message: 'x' })
    const { calls, checks } = callsWith([refused(), refused(), refused()])
    await expect(calls.admin('GET /admin/session')).rejects.toThrow('x')
    expect(checks()).toBe(0)
    await expect(calls.admin('POST /admin/session/password', { body: {} })).rejects.toThrow('x')
    await expect(listAccounts(calls.api)).rejects.toThrow('x')
    expect(checks()).toBe(2)
  })

  test('StepUpRequired: after the factor, the same request is sent once more', async () => {
    const { calls, sent } = callsWith([stepUp(), json(200, { ok: true })], () =>
      Promise.resolve(true),
    )
    expect(await calls.admin('PUT /admin/people/{id}', { id: 'p', body: {} })).toEqual({ ok: true })
    expect(sent).toHaveLength(2)
  })

  test('two proofs: each is requested once, then the error is reported', async () => {
    const mail = () => json(403, { statusCode: 403, message: 'mail', code: 'MailReadingRequired' })
    const requested: string[] = []
    const accept = (proof: string) => {
      requested.push(proof)
      return Promise.resolve(true)
    }
    const { calls, sent } = callsWith([mail(), stepUp(), mail()], accept)
    await expect(calls.admin('POST /admin/people', { body: {} })).rejects.toThrow('mail')
    expect(requested).toEqual(['mailReason', 'factor'])
    expect(sent).toHaveLength(3)
  })

  test('StepUpRequired: when the person cancels, the call fails and nothing is repeated', async () => {
    const { calls, sent } = callsWith([stepUp()])
    await expect(calls.admin('DELETE /admin/people/{id}', { id: 'p' })).rejects.toThrow('x')
    expect(sent).toHaveLength(1)
  })
})

test('ProofRequests: concurrent requests share one dialog and its result', async () => {
  const requests = new ProofRequests()
  let changes = 0
  requests.subscribe(() => (changes += 1))
  const both = Promise.all([requests.request(), requests.request()])
  expect(requests.isOpen()).toBe(true)
  requests.settle(true)
  expect(await both).toEqual([true, true])
  expect(requests.isOpen()).toBe(false)
  expect(changes).toBe(3)
})
