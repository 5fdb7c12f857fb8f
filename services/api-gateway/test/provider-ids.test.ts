import { afterAll, expect, test } from '@jest/globals'
import { allOperations } from '@posthorn/contracts/operations'
import { classify, requestWith } from './tenant-requests.ts'
import { tenants } from './tenants.ts'

const world = await tenants()
afterAll(world.stop)
const { commands, newTenant, other, rawStatus, send } = world

const visible = Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at)).join('')
/** Ids of messages at a provider, which have up to 200 visible ASCII characters. */
const ids = [
  visible.repeat(3).slice(0, 200),
  visible.repeat(3).split('').reverse().join('').slice(0, 200),
  '='.repeat(200),
  '/'.repeat(200),
  '%'.repeat(200),
  '%2F%2e%2E%00',
  `../../${other['account']}/message/1`,
  'AAkALg-_x=',
  '18c0ffee00000001',
  '...',
]
/** Text or attachment id of a provider's message, with a part of the maximum length. */
const packed = 'A-_z'.repeat(238)

/** Fields that take ids of messages, threads, texts or attachments. */
const rows = allOperations.flatMap((operation) =>
  classify(operation).naming.flatMap(({ field, kind: { fields } }) => {
    const isSearch = /^body\.search\.(?:emailIds?|threadId)$/.test(field.label)
    const isMessage = isSearch || /\.message\b/.test(fields)
    const isPacked = /params\.(?:text|attachment)\b/.test(fields)
    const values = [...ids, ...(isPacked ? [packed] : [])]
    return isMessage || isPacked ? [{ operation, field, values }] : []
  }),
)

test('rows: contain every operation on a message, its text and its attachments', () => {
  const inPaths = allOperations.filter(({ path }) => /:(?:message|text|attachment)\b/.test(path))
  const covered = new Set(rows.map(({ operation }) => operation.id))
  expect(inPaths.filter(({ id }) => !covered.has(id))).toEqual([])
  expect(rows.length).toBeGreaterThan(20)
})

test.each(rows.map((row) => [`${row.operation.id} ${row.field.label}`, row] as const))(
  '%s: ids of any visible ASCII characters reach the worker of the account unchanged',
  async (_name, { operation, field, values }) => {
    const { own, bound, limited } = await newTenant()
    for (const value of values)
      for (const token of [bound, limited]) {
        const response = await send(token, requestWith(operation, own, { field, value }))
        const received = commands.splice(0).filter(({ account }) => account !== undefined)
        expect([value, response.status]).toEqual([value, 200])
        expect(new Set(received.map(({ account }) => account))).toEqual(new Set([own['account']]))
        const requests = received.map(({ request }) => JSON.stringify(request))
        expect(requests.filter((text) => text.includes(JSON.stringify(value)))).not.toEqual([])
      }
  },
)

test('getMessage: characters that a path may contain (RFC 3986 §3.3) need no encoding', async () => {
  const { own, bound } = await newTenant()
  const { account = '' } = own
  const id = "AZaz09-._~!$&'()*+,;=:@"
  expect(await rawStatus('GET', `/v1/account/${account}/message/${id}`, bound)).toBe(200)
  expect(commands.splice(0)).toMatchObject([{ account, request: { message: id } }])
})
