import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { usualCapabilities } from '@posthorn/testkit'
import type { MailSession } from '../../src/mail-session.ts'
import { connect, inTime, start } from './fault-setup.ts'

// Tests of hostile values that API clients choose, in every call that sends such values. No value
// may become an IMAP command.

const pieces =
  '\r\n|\n|\r|"|\\|{5}\r\n|{5+}\r\n|~{5}\r\n|a\r\nx DELETE INBOX\r\n|x LOGOUT|(|)|[|]|*|%|&|&AOQ-|ü|💣|\u2028|\x7f| |/|NIL|INBOX|.'
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(fc.constantFrom(...pieces.split('|')), { maxLength: 8 }).map((parts) => parts.join('')),
)

/** IMAP commands that change nothing. Every call of a session may send these commands. */
const harmless = ['SELECT', 'UNSELECT', 'LIST', 'LSUB', 'STATUS', 'NOOP']
const message = Buffer.from('Subject: x\r\n\r\nx\r\n')

type Call = [
  name: string,
  sends: readonly string[],
  call: (session: MailSession, value: string) => Promise<unknown>,
]

const calls: Call[] = [
  ['select', [], (session, path) => session.select(path)],
  ['status', [], (session, path) => session.status(path)],
  ['createMailbox', ['CREATE', 'SUBSCRIBE'], (session, path) => session.createMailbox(path)],
  [
    'renameMailbox',
    ['RENAME', 'SUBSCRIBE', 'UNSUBSCRIBE'],
    (session, path) => session.renameMailbox('Source', path),
  ],
  [
    'deleteMailbox',
    ['DELETE', 'UNSUBSCRIBE'],
    (session, path) => session.deleteMailbox(`missing${path}`),
  ],
  ['subscribe', ['SUBSCRIBE'], (session, path) => session.subscribe(path, true)],
  ['appendMessage', ['APPEND'], (session, path) => session.appendMessage(path, message)],
  [
    'appendMessage with a flag',
    ['APPEND'],
    (session, flag) => session.appendMessage('INBOX', message, { flags: [flag] }),
  ],
  ['moveMessages', ['UID MOVE'], (session, path) => session.moveMessages([[1, 1]], path)],
  ['changeFlags', ['UID STORE'], (session, flag) => session.changeFlags([[1, 1]], { add: [flag] })],
  [
    'changeLabels',
    ['UID STORE'],
    (session, label) => session.changeLabels([[1, 1]], { set: [label] }),
  ],
  [
    'search',
    ['UID SEARCH'],
    (session, text) => session.search({ subject: text, header: { 'X-A': text } }),
  ],
  ['searchUids', ['UID SEARCH'], (session, flag) => session.searchUids({ flag })],
  [
    'downloadPart',
    ['UID FETCH'],
    async (session, part) => Array.fromAsync((await session.downloadPart(1, part)).content),
  ],
]

const withGmail = [...usualCapabilities, 'X-GM-EXT-1']

describe.each([
  ['LITERAL+', withGmail],
  ['synchronizing literals', withGmail.filter((one) => one !== 'LITERAL+')],
])('server with %s', (_name, capabilities) => {
  test.each(calls)('MailSession.%s: any value, sends no other command', async (...row) => {
    const [, sends, call] = row
    const server = await start(1, { capabilities, mailboxes: ['Source'] })
    const session = await connect(server)
    const allowed = [...harmless, ...sends]
    await fc.assert(
      fc.asyncProperty(hostile, async (value) => {
        await session.select('INBOX')
        const names: string[] = []
        const stop = server.on('*', ({ name }) => void names.push(name))
        await inTime(call(session, value)).catch((error: unknown) =>
          expect(error).toMatchObject({ name: 'AppError' }),
        )
        stop()
        expect(names.filter((name) => !allowed.includes(name))).toEqual([])
        // After hostile input the IMAP session is usable, and the server has understood every
        // command.
        await session.select('INBOX')
        expect(server.sessions).toHaveLength(1)
      }),
    )
  })
})

test('MailSession.createMailbox: any path, creates one mailbox and changes no other', async () => {
  const server = await start(0)
  const session = await connect(server)
  let created = 0
  await fc.assert(
    fc.asyncProperty(hostile, async (value) => {
      const { path } = await session.createMailbox(value).catch(() => ({ path: undefined }))
      if (path === undefined) return
      expect(server.mailbox(path).path).toBe(path)
      expect(server.mailbox('INBOX').path).toBe('INBOX')
      server.deleteMailbox(path)
      created += 1
    }),
  )
  expect(created).toBeGreaterThan(50)
})
