import { expect, test } from '@jest/globals'
import { SeededRandom } from '../mail-api-model/random.ts'
import {
  breakResponse,
  type BrokenResponse,
  contentFaults,
  formFaults,
  type ResponseFaultKind,
} from './response-faults.ts'
import type { SentResponse } from './validator.ts'

const json = {
  messages: [
    { id: '19a0000000000001', threadId: '19a0000000000001', labelIds: ['INBOX'] },
    { id: '19a0000000000002', threadId: '19a0000000000002', labelIds: [] },
  ],
  nextPageToken: 'next',
}

function responseOf(body: unknown): SentResponse {
  const contentType = 'application/json'
  const bytes = Buffer.from(JSON.stringify(body))
  return { status: 200, contentType, headers: { 'content-type': contentType, etag: 'x' }, bytes }
}

const response: SentResponse & { description?: string } = responseOf(json)
const earlier = responseOf({ messages: [] })
const breakOnce = (kind: ResponseFaultKind, seed: number) =>
  breakResponse(new SeededRandom(seed), response, { kind, earlier })
const bodyOf = ({ bytes }: SentResponse): unknown => JSON.parse(bytes.toString())
/** Response of a provider fake as a text, which is compared faster than its bytes. */
const textOf = (each: Partial<BrokenResponse> | undefined) =>
  JSON.stringify({ ...each, bytes: each?.bytes?.toString('latin1') })
const seeds = Array.from({ length: 20 }, (_, seed) => seed)

test.each([...formFaults, ...contentFaults])(
  'breakResponse, %s: equal seeds break a response equally, and always in some way',
  (kind) => {
    for (const seed of seeds) {
      const { description = '', ...broken } = breakOnce(kind, seed) ?? response
      expect(description).toMatch(`${kind}: `)
      expect(textOf(breakOnce(kind, seed)) === textOf({ ...broken, description })).toBe(true)
      expect(textOf(broken) === textOf(response)).toBe(false)
    }
    expect(bodyOf(response)).toEqual(json)
  },
)

test('breakResponse, a member of another type: the rest of the body stays', () => {
  const bodies = seeds.map((seed) => bodyOf(breakOnce('swapped member', seed) ?? response))
  expect(bodies).toContainEqual({ ...json, nextPageToken: expect.not.stringMatching('') })
  expect(bodies).toContainEqual({ ...json, messages: {} })
})

test('breakResponse, null: not of members that may be null, nor of their entries', () => {
  const nullable = (name: string) => name !== 'id'
  for (const seed of seeds) {
    const options = { kind: 'null member', nullable } as const
    const broken = breakResponse(new SeededRandom(seed), response, options)
    expect(broken?.description).toMatch(/^null member: \/messages\/[01]\/id is null$/)
  }
})

test('breakResponse, a foreign entry: has ids of the same form that the list does not have', () => {
  for (const seed of seeds) {
    const { messages } = bodyOf(breakOnce('foreign entry', seed) ?? response) as typeof json
    const labels = messages.flatMap(({ labelIds }) => labelIds)
    const ids = new Set(messages.map(({ id }) => id))
    expect(ids.size + labels.length).toBeGreaterThan(3)
    for (const id of ids) expect(id).toMatch(/^19a00000[\da-f]{8}$/)
  }
})

test('breakResponse, a cut body: the whole response, and the bytes that are sent', () => {
  const { bytes, delivery } = breakOnce('cut', 3) ?? { bytes: undefined, delivery: undefined }
  expect(bytes).toEqual(response.bytes)
  expect(delivery).toEqual({ kind: 'truncate', bytes: expect.any(Number) })
})

test('breakResponse, a response that cannot have the defect: undefined', () => {
  const random = new SeededRandom(1)
  const page = { ...responseOf({}), bytes: Buffer.from('<html>') }
  for (const kind of ['swapped member', 'missing entry', 'repeated entry'] as const)
    expect(breakResponse(random, page, { kind })).toBeUndefined()
  expect(breakResponse(random, responseOf({}), { kind: 'missing member' })).toBeUndefined()
  expect(breakResponse(random, response, { kind: 'earlier response' })).toBeUndefined()
})
