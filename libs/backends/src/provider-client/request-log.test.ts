import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { ProviderError } from '@posthorn/net/provider-error'
import type { ProviderHttp } from '@posthorn/net/provider-http'
import { logRequests } from './request-log.ts'

/**
 * Recorder of the protocol log of requests to a mail provider: lines per request, without times.
 */
function recorded() {
  const requests: string[][] = []
  const openLog = () => {
    const lines: string[] = []
    requests.push(lines)
    return ({ from, text }: { from: string; text: string }) =>
      void lines.push(`${from}: ${text.replace(/\d+ ms/, 'n ms')}`)
  }
  return { requests, openLog }
}

const httpOf = (respond: () => Promise<object>) =>
  ({ open: respond, json: respond, upload: respond }) as unknown as ProviderHttp
const fine = async () => ({ status: 200, headers: {}, json: { subject: 'private' } })
const request = { url: '/messages/1?format=full', token: 'secret-token' }

test('logRequests: method and address, then status and time, without token and bodies', async () => {
  const { requests, openLog } = recorded()
  const http = logRequests(httpOf(fine), openLog)
  await http.json(request)
  await http.open({ ...request, method: 'POST', url: '/send', body: 'Subject: private' })
  expect(requests).toEqual([
    ['client: GET /messages/1?format=full', 'server: 200 after n ms'],
    ['client: POST /send', 'server: 200 after n ms'],
  ])
})

test('logRequests: an upload address is hidden', async () => {
  const { requests, openLog } = recorded()
  const { token: _token, ...upload } = request
  await logRequests(httpOf(fine), openLog).upload({ ...upload, url: 'https://up.example/?auth=1' })
  expect(requests).toEqual([['client: GET (upload address)', 'server: 200 after n ms']])
})

test.each([
  [
    new ProviderError('Too many requests', { status: 429, code: 'rateLimitExceeded' }),
    'server: 429 rateLimitExceeded after n ms: Too many requests',
  ],
  [new ProviderError('', { status: 503 }), 'server: 503 after n ms: '],
  [
    new AppError('unreachable', 'The provider did not respond (timeout)'),
    'us: no response after n ms: The provider did not respond (timeout)',
  ],
])('logRequests: %p, is logged and thrown', async (error, line) => {
  const { requests, openLog } = recorded()
  const http = logRequests(
    httpOf(() => Promise.reject(error)),
    openLog,
  )
  await expect(http.json(request)).rejects.toBe(error)
  expect(requests.map((lines) => lines[1])).toEqual([line])
})
