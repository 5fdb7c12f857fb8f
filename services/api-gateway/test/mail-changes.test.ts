import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Bus, on } from '@posthorn/bus'
import { createMailbox, deleteMailbox, updateMailbox } from '@posthorn/contracts/commands/mailboxes'
import {
  deleteMessage,
  deleteMessages,
  moveMessage,
  moveMessages,
  updateMessage,
  updateMessages,
} from '@posthorn/contracts/commands/message-changes'
import { shardOf } from '@posthorn/contracts/shards'
import { AppError } from '@posthorn/errors'
import { eventually } from '@posthorn/testkit'
import { type Answer, type Call, mint, registration, testServers } from './gateway.ts'

const servers = await testServers()
let call: Call
let bus: Bus
/** Commands that the fake worker received. */
let commands: Record<string, unknown>[]
let refusal: AppError | undefined

function answered<T>(response: T) {
  return (request: object) => {
    commands.push({ ...request })
    return refusal ? Promise.reject(refusal) : Promise.resolve(response)
  }
}

beforeAll(async () => {
  ;({ call } = await servers.start())
  await call('POST', '/v1/account', { body: registration('jane') })
  bus = await servers.connectBus()
  await bus.serve({
    queue: 'private',
    keys: [`shard.${shardOf('jane')}`],
    handlers: [
      on(createMailbox, answered({ path: 'A', created: true })),
      on(updateMailbox, answered({ path: 'A', newPath: 'B', renamed: true })),
      on(deleteMailbox, answered({ path: 'A', deleted: true })),
      on(updateMessage, answered({ flags: { add: true } })),
      on(moveMessage, answered({ path: 'A', id: 'AAAAAQAAAAE', uid: 1 })),
      on(deleteMessage, answered({ deleted: true })),
      on(updateMessages, answered({ flags: { add: true } })),
      on(moveMessages, answered({ path: 'A', idMap: [['a', 'b'] as [string, string]] })),
      on(deleteMessages, answered({ deleted: true })),
    ],
  })
  commands = []
  await eventually(async () => expect((await send('POST mailbox', { path: 'A' })).status).toBe(200))
})
beforeEach(() => {
  commands = []
  refusal = undefined
})
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})

/** Sends a request about the account, given as a text such as `PUT message/x`. */
function send(address: string, body?: object, token?: string): Promise<Answer> {
  const [method = '', path = ''] = address.split(' ')
  return call(method, `/v1/account/jane/${path}`, {
    ...(body ? { body } : {}),
    ...(token === undefined ? {} : { token }),
  })
}

/** Flags or labels of one API request, whose number has no limit. */
const many = Array.from({ length: 500 }, (_, n) => `f${n}`)

test.each([
  ['POST mailbox', { path: 'A/B' }, { path: 'A/B' }],
  ['POST mailbox', { path: ['A', 'B'] }, { path: ['A', 'B'] }],
  ['PUT mailbox', { path: 'A', newPath: ['B'] }, { path: 'A', newPath: ['B'] }],
  ['PUT mailbox', { path: 'A', subscribed: false }, { path: 'A', subscribed: false }],
  ['DELETE mailbox?path=A%2FB', undefined, { path: 'A/B' }],
  [
    'PUT message/x',
    { flags: { add: ['\\Seen'], delete: ['$Todo'] }, labels: { set: ['a'] } },
    {
      message: 'x',
      update: { flags: { add: ['\\Seen'], delete: ['$Todo'] }, labels: { set: ['a'] } },
    },
  ],
  ['PUT message/x/move', { path: '\\Archive' }, { message: 'x', path: '\\Archive' }],
  ['DELETE message/x', undefined, { message: 'x', force: false }],
  ['DELETE message/x?force=true', undefined, { message: 'x', force: true }],
  [
    'PUT messages?path=INBOX',
    { search: { seen: true, before: '2026-01-01' }, update: { flags: { set: [] } } },
    { path: 'INBOX', search: { seen: true, before: '2026-01-01' }, update: { flags: { set: [] } } },
  ],
  [
    'PUT messages/move?path=INBOX',
    { search: { header: { 'List-Id': true } }, path: 'Lists' },
    { path: 'INBOX', search: { header: { 'List-Id': true } }, destination: 'Lists' },
  ],
  [
    'PUT message/x',
    { flags: { add: many }, labels: { add: many } },
    { message: 'x', update: { flags: { add: many }, labels: { add: many } } },
  ],
  [
    'PUT messages/delete?path=INBOX&force=true',
    { search: {} },
    { path: 'INBOX', search: {}, force: true },
  ],
])('%s sends its command to the worker (%#)', async (address, body, request) => {
  const { status } = await send(address, body)
  expect(status).toBe(200)
  expect(commands).toEqual([{ account: 'jane', ...request }])
})

const long = 'x'.repeat(250)
test.each([
  ['POST mailbox', {}, ['path']],
  ['POST mailbox', { path: '' }, ['path']],
  ['POST mailbox', { path: [] }, ['path']],
  ['POST mailbox', { path: ['A', 'B\r\nC'] }, ['path.1']],
  ['POST mailbox', { path: ['A', ''] }, ['path.1']],
  ['POST mailbox', { path: [long, long, long, long, long] }, ['path']],
  ['PUT mailbox', { path: 'A' }, ['newPath']],
  ['PUT mailbox', { newPath: 'A' }, ['path']],
  ['PUT mailbox', { path: 'A', subscribed: 'yes' }, ['subscribed']],
  ['DELETE mailbox', undefined, ['path']],
  ['PUT message/x', { flags: { set: ['a'], add: ['b'] } }, ['flags.set']],
  ['PUT message/x', { labels: { set: ['a'], delete: ['b'] } }, ['labels.set']],
  ['PUT message/x', { flags: { add: ['\\Recent'] } }, ['flags.add.0']],
  ['PUT message/x', { flags: { add: ['two words'] } }, ['flags.add.0']],
  [
    'PUT message/x',
    { flags: { add: Array.from({ length: 1_001 }, (_, n) => `f${n}`) } },
    ['flags.add'],
  ],
  ['PUT message/x', { flag: {} }, ['flag']],
  ['PUT message/x/move', {}, ['path']],
  ['PUT messages', { search: {}, update: {} }, ['path']],
  ['PUT messages?path=A', { update: {} }, ['search']],
  [
    'PUT messages?path=A',
    { search: {}, update: { flags: { set: [], add: [] } } },
    ['update.flags.set'],
  ],
  ['PUT messages/move?path=A', { search: {} }, ['path']],
  ['PUT messages/delete?path=A', { search: { uid: '1;2' } }, ['search.uid']],
  ['PUT messages/delete?path=A', { search: { from: '' } }, ['search.from']],
  ['PUT messages/delete?path=A', { search: { since: 'yesterday' } }, ['search.since']],
  ['PUT messages/delete?path=A', { search: { header: { 'a b': 'x' } } }, ['search.header.a b']],
  ['PUT messages/delete?path=A', { search: { everything: true } }, ['search.everything']],
])('%s responds 400 with the field (%#)', async (address, body, paths) => {
  const { status, body: problem } = await send(address, body)
  expect(status).toBe(400)
  expect(problem.fields?.map((field) => field.path)).toEqual(paths)
  expect(problem).not.toHaveProperty('code')
  expect(commands).toEqual([])
})

test('updateMessage: a rejection by the server responds 400 with its code and text', async () => {
  refusal = new AppError('rejected', 'The mail server refused: Mailbox exists', {
    code: 'ALREADYEXISTS',
    extras: { info: { response: 'Mailbox exists' } },
  })
  const { status, body } = await send('POST mailbox', { path: 'A' })
  expect(status).toBe(400)
  expect(body).toMatchObject({ code: 'ALREADYEXISTS', info: { response: 'Mailbox exists' } })
  expect(body).not.toHaveProperty('fields')
})

test('updateMessage: a missing IMAP extension responds 422', async () => {
  refusal = new AppError('unprocessable', 'No labels', { code: 'MissingServerExtension' })
  const { status, body } = await send('PUT message/x', { labels: { add: ['a'] } })
  expect(status).toBe(422)
  expect(body).toMatchObject({ code: 'MissingServerExtension' })
})

test('permissions: deleting needs another action than changing', async () => {
  const token = await mint(call, {
    account: 'jane',
    description: 'may write',
    scopes: ['api'],
    permissions: { actions: ['write'], groups: ['mailbox', 'message'] },
  })
  const status = async (address: string, body?: object) => (await send(address, body, token)).status
  expect(await status('POST mailbox', { path: 'A' })).toBe(200)
  expect(await status('PUT message/x', { flags: { add: ['a'] } })).toBe(200)
  expect(await status('PUT messages/move?path=A', { search: {}, path: 'B' })).toBe(200)
  expect(await status('DELETE mailbox?path=A')).toBe(403)
  expect(await status('DELETE message/x')).toBe(403)
  expect(await status('PUT messages/delete?path=A', { search: {} })).toBe(403)
})
