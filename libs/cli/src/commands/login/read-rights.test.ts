import { createHash } from 'node:crypto'
import { Posthorn } from '@posthorn/client'
import { expect, test } from '@jest/globals'
import { readRights } from './read-rights.ts'

const token = '0123456789abcdefABCDEF'.padEnd(64, '0')
const hash = (value: string | Buffer) => createHash('sha256').update(value).digest('hex')
const record = { scopes: ['*'], account: null, permissions: null }
const { signal } = new AbortController()

/**
 * Fake API client that knows an access token with the id `storedId`. The list of requests has the
 * last part of each URL.
 */
function clientOf(storedId: string, message = 'Token was not found') {
  const requests: string[] = []
  const respond = (url: unknown) => {
    const id = String(url).split('/').at(-1) ?? ''
    requests.push(id)
    return Promise.resolve(
      id === storedId
        ? Response.json(record)
        : Response.json({ statusCode: 404, message }, { status: 404 }),
    )
  }
  const fetch = respond as typeof globalThis.fetch
  return { requests, client: new Posthorn({ url: 'http://api.test', token, fetch, retryForMs: 0 }) }
}

test('readRights: a token by its id', async () => {
  const { client, requests } = clientOf(hash(token))
  expect(await readRights(client, token, signal)).toEqual({ scopes: ['*'], account: null })
  expect(requests).toEqual([hash(token)])
})

test('readRights: a token from EmailEngine by the id of its 32 bytes', async () => {
  const { client, requests } = clientOf(hash(Buffer.from(token, 'hex')))
  expect(await readRights(client, token, signal)).toEqual({ scopes: ['*'], account: null })
  expect(requests).toHaveLength(2)
})

test('readRights: an accepted token without a record has no details', async () => {
  const { client } = clientOf('none')
  expect(await readRights(client, token, signal)).toEqual({
    limit: expect.stringContaining('accepts the token'),
  })
})

test('readRights: a text that is no token, and a server without the operation, are errors', async () => {
  await expect(readRights(clientOf('none').client, 'text', signal)).rejects.toThrow('not found')
  const { client } = clientOf('none', 'Not Found')
  await expect(readRights(client, token, signal)).rejects.toThrow('Not Found')
})
