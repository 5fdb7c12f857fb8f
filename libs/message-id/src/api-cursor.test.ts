import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import fc from 'fast-check'
import {
  type ApiList,
  apiPageCursors,
  type ApiPagePosition,
  encodeCursor,
  requestedApiPage,
} from './index.ts'

const query = { account: 'ann', folder: 'INBOX', search: { from: 'bob', unseen: true } }
const gmail: ApiList = { kind: 'gmail', query }
const outlook: ApiList = { kind: 'outlook', query }
const first: ApiPagePosition = { page: 0, tokens: [] }

function codeOf(cursor: string, list = gmail): string | undefined {
  try {
    requestedApiPage({ page: 0, cursor }, list)
    return 'accepted'
  } catch (error) {
    if (error instanceof AppError && error.kind === 'invalid') return error.code
    throw error
  }
}

/** Paging cursor of the page that follows a position in a message list. */
function nextCursor(position: ApiPagePosition, token: string, list = gmail): string {
  return apiPageCursors(position, list, token).nextPageCursor ?? ''
}

/** Position of the next page of a message list, decoded from its paging cursor. */
function next(position: ApiPagePosition, token: string): ApiPagePosition {
  return requestedApiPage({ page: 0, cursor: nextCursor(position, token) }, gmail)
}

test('apiPageCursors: lead forwards and backwards through a list', () => {
  const token = fc.string({ minLength: 1, maxLength: 60, unit: 'binary' })
  fc.assert(
    fc.property(fc.array(token, { minLength: 1, maxLength: 8 }), (tokens) => {
      const positions = [first]
      for (const [at, token] of tokens.entries())
        positions.push(next(positions[at] ?? first, token))
      expect(positions.map(({ page }) => page)).toEqual([...positions.keys()])
      expect(positions.map(({ tokens }) => tokens.at(-1))).toEqual([undefined, ...tokens])
      const back = positions.map((position) => apiPageCursors(position, gmail, undefined))
      expect(back.every(({ nextPageCursor }) => nextPageCursor === null)).toBe(true)
      expect(
        back.map(
          ({ prevPageCursor: cursor }) => cursor && requestedApiPage({ page: 9, cursor }, gmail),
        ),
      ).toEqual([null, ...positions.slice(0, -1)])
    }),
  )
})

test('requestedApiPage: without a cursor, the first page; another number is InvalidInput', () => {
  expect(requestedApiPage({ page: 0 }, gmail)).toEqual(first)
  expect(() => requestedApiPage({ page: 1 }, gmail)).toThrow(
    expect.objectContaining({ kind: 'invalid', code: 'InvalidInput' }),
  )
})

test('requestedApiPage: a cursor of another kind of account is InvalidCursorType', () => {
  expect(codeOf(encodeCursor({ page: 1 }))).toBe('InvalidCursorType')
  expect(codeOf(nextCursor(first, 'a', outlook))).toBe('InvalidCursorType')
  expect(codeOf(nextCursor(first, 'a'), outlook)).toBe('InvalidCursorType')
})

test('requestedApiPage: a cursor of another query or account is InvalidCursorValue', () => {
  const cursor = nextCursor(first, 'a')
  for (const other of [{ ...query, account: 'bob' }, { ...query, folder: 'Sent' }, {}, undefined])
    expect(codeOf(cursor, { kind: 'gmail', query: other })).toBe('InvalidCursorValue')
  const { account, folder, search } = query
  const { from, unseen } = search
  const reordered = { search: { unseen, from }, folder, account }
  expect(codeOf(cursor, { kind: 'gmail', query: reordered })).toBe('accepted')
})

test('requestedApiPage: unreadable cursors are InvalidCursorValue', () => {
  const cursor = nextCursor(first, 'a')
  const [digest] = JSON.parse(Buffer.from(cursor.slice(6), 'base64url').toString()) as [string]
  const of = (json: string) => `gmail_${Buffer.from(json).toString('base64url')}`
  expect(codeOf(of(JSON.stringify([digest, 1, 'a'])))).toBe('accepted')
  for (const invalid of [
    '',
    'nonsense',
    'gmail_',
    'gmail_!!',
    `${cursor}=`,
    of('{'),
    of('null'),
    of('[]'),
    of(JSON.stringify([digest, 1])),
    of(JSON.stringify([digest, 0, 'a'])),
    of(JSON.stringify([digest, 1, 'a', 'b'])),
    of(JSON.stringify([digest, 1, ''])),
    of(JSON.stringify([digest, 1, 2])),
    of(JSON.stringify([digest, '1', 'a'])),
    of(JSON.stringify([digest, -1, 'a'])),
    of(JSON.stringify([digest, 1e9, 'a'])),
    of(JSON.stringify(['x', 1, 'a'])),
    of(`[ "${digest}",1,"a"]`),
    of(JSON.stringify([digest, 1, 'x'.repeat(20_000)])),
  ])
    expect([invalid.slice(0, 40), codeOf(invalid)]).toEqual([
      invalid.slice(0, 40),
      'InvalidCursorValue',
    ])
})

test('apiPageCursors: many or long tokens, the cursor stays short and leads forwards', () => {
  let position = first
  for (let page = 1; page <= 300; page++) position = next(position, `${page}`.padStart(100, '0'))
  expect(position).toMatchObject({ page: 300 })
  expect(position.tokens.length).toBeGreaterThan(50)
  expect(nextCursor(position, '1').length).toBeLessThan(12_000)
  const long = next(position, 'x'.repeat(8_192))
  expect(long).toEqual({ page: 301, tokens: ['x'.repeat(8_192)] })
  expect(apiPageCursors(long, gmail, undefined).prevPageCursor).toBeNull()
  expect(() => nextCursor(first, 'x'.repeat(8_193))).toThrow(RangeError)
})
