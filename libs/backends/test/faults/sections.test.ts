import { expect, test } from '@jest/globals'
import { type Hook, type ImapScript, imapFaults } from '@posthorn/testkit'
import { MessageFaults } from '../../src/message-faults.ts'
import type { FetchedMessage, MailSession } from '../../src/mail-session.ts'
import { connect, distort, inbox, letter, start } from './fault-setup.ts'
import { session as scriptedSession } from '../scripted-session.ts'

const { replaces, rejects, times, sendsRaw } = imapFaults
const sections = [{ key: 'TEXT', maxLength: 20 }]
const options = { headers: true, sections }
const ranges = [[1, 3]] as const
const subjects = ['m1', 'm2', 'm3']
const headerBytes = 256 * 1024

/** Script hook that handles only FETCH commands with body sections. */
function withSections(hook: Hook): Hook {
  return (command) => (hasSections(command.rest) ? hook(command) : undefined)
}

function hasSections(query: string): boolean {
  return query.includes('ENVELOPE') && query.includes('BODY.PEEK[TEXT]')
}

/** Collects the arguments of the FETCH commands that an IMAP server receives from now on. */
function fetchesOf(server: ImapScript): string[] {
  const fetches: string[] = []
  server.on('FETCH', ({ rest }) => void fetches.push(rest))
  return fetches
}

async function textsOf(session: MailSession, messages: readonly FetchedMessage[]) {
  const wanted = [{ part: '1', maxBytes: 1_000 }]
  const requests = messages.map(({ uid, bodyStructure: structure, sections: fetched = [] }) => ({
    uid,
    structure,
    wanted,
    fetched,
  }))
  const parts = await session.readPartsOfAll(requests)
  return parts.map((each) => each?.get('1')?.toString())
}

const fetchAll = (session: MailSession) => Array.fromAsync(session.fetchMessages(ranges, options))

function expectComplete(messages: readonly FetchedMessage[]): void {
  expect(messages.map(({ envelope }) => envelope.subject)).toEqual(subjects)
  for (const message of messages) {
    expect(message).not.toHaveProperty('incomplete')
    expect(message).not.toHaveProperty('truncated')
    expect(message.bodyStructure).toMatchObject({ part: '1', type: 'text/plain' })
    expect(message.headers?.toString()).toContain(`Subject: ${message.envelope.subject}`)
  }
}

/**
 * Opens IMAP sessions of one account, which share the record of the messages that the server cannot
 * describe.
 */
function openWithFaults(server: ImapScript) {
  const faults = new MessageFaults()
  return async () => {
    const session = await connect(server, { faults })
    const { uidValidity } = await session.select('INBOX')
    return { session, mailbox: faults.of({ path: 'INBOX', uidValidity }) }
  }
}

test('fetchMessages: with sections, one FETCH in all', async () => {
  const server = await start(3)
  const session = await inbox(server)
  const fetches = fetchesOf(server)
  const messages = await fetchAll(session)
  expectComplete(messages)
  expect(await textsOf(session, messages)).toEqual(Array(3).fill('hello\r\n'))
  expect(fetches).toHaveLength(1)
  expect(fetches[0]).toContain('BODY.PEEK[TEXT]<0.20>')
})

test.each(['NO cannot be read', 'BAD too many items', 'NO [SERVERBUG] failed'])(
  'fetchMessages: query with sections is answered by %s, is sent without them',
  async (answer) => {
    const server = await start(3)
    const open = openWithFaults(server)
    const { session, mailbox } = await open()
    let rejections = 0
    server.on(
      'FETCH',
      withSections((command) => {
        rejections++
        return rejects(answer)(command)
      }),
    )
    const messages = await fetchAll(session)
    expectComplete(messages)
    expect(await textsOf(session, messages)).toEqual(Array(3).fill('hello\r\n'))
    expect(rejections).toBe(1)
    expect(mailbox.description.isEmpty && mailbox.header.isEmpty).toBe(true)
  },
)

test('fetchMessages: lost at the query with sections, next connection sends none', async () => {
  const server = await start(1)
  const open = openWithFaults(server)
  const lose = withSections(sendsRaw('', 'reset'))
  server.on('FETCH', lose)
  for (let attempt = 0; attempt < 4; attempt++) {
    const { session } = await open()
    await expect(Array.fromAsync(session.fetchMessages([[1, 1]], options))).rejects.toMatchObject({
      kind: 'unreachable',
    })
    const { session: next, mailbox } = await open()
    expect(mailbox.description.isEmpty).toBe(false)
    const messages = await Array.fromAsync(next.fetchMessages([[1, 1]], options))
    expect(messages[0]).toMatchObject({ uid: 1, envelope: { subject: 'm1' } })
    expect(messages[0]).not.toHaveProperty('incomplete')
    expect(mailbox.description.isRefused(1)).toBe(false)
    expect(mailbox.description.isEmpty && mailbox.header.isEmpty).toBe(true)
  }
})

test('fetchMessages: message whose description is refused, others have their sections', async () => {
  const server = await start(3)
  const open = openWithFaults(server)
  const { session, mailbox } = await open()
  mailbox.description.refuse(2)
  const messages = await fetchAll(session)
  expect(messages.map(({ incomplete }) => incomplete)).toEqual([undefined, true, undefined])
  expect(messages.map((message) => message.sections?.length)).toEqual([1, 0, 1])
})

test('fetchMessages: response unreadable with sections, is complete without them', async () => {
  const server = await start(3)
  const session = await inbox(server)
  server.on('FETCH', withSections(replaces(/BODY\[TEXT\]<0> /, 'BODY[TEXT <0> ')))
  const messages = await fetchAll(session)
  expectComplete(messages)
  expect(await textsOf(session, messages)).toEqual(Array(3).fill('hello\r\n'))
})

test('fetchMessages: message missing in the response, keeps the sections of the others', async () => {
  const server = await start(3)
  const session = await inbox(server)
  server.on('FETCH', times(1, imapFaults.hides(2)))
  const messages = await fetchAll(session)
  expectComplete(messages)
  expect(messages.map((message) => message.sections?.length)).toEqual([1, 0, 1])
})

test.each([
  ['NIL', 'NIL'],
  ['an empty string', '""'],
  ['an empty literal', '{0}\r\n'],
])('readPartsOfAll: section returned as %s, is requested again', async (_, value) => {
  const server = await start(3)
  const session = await inbox(server)
  const off = distort(server, 'FETCH', [
    /BODY\[TEXT\](<0>)? \{\d+\}\r\nhello\r\n/,
    `BODY[TEXT]$1 ${value}`,
    /ENVELOPE/,
  ])
  const messages = await fetchAll(session)
  expect(off.times).toBe(3)
  expectComplete(messages)
  expect(await textsOf(session, messages)).toEqual(Array(3).fill('hello\r\n'))
})

test('readPartsOfAll: empty text, needs no FETCH', async () => {
  const server = await start()
  server.mailbox('INBOX').append(letter('m1', ''))
  const session = await inbox(server)
  const messages = await Array.fromAsync(session.fetchMessages([[1, 1]], options))
  const fetches = fetchesOf(server)
  expect(await textsOf(session, messages)).toEqual([''])
  expect(fetches).toEqual([])
})

test.each(['<0>', ''])(
  'fetchMessages: server ignores ranges (origin %j), keeps the requested bytes',
  async (origin) => {
    const header = `Subject: long\r\nX-Long: ${'h'.repeat(400_000)}\r\n\r\n`
    const texts = ['short', 't'.repeat(2_000_000), 'x'.repeat(20)]
    const section = (name: string, content: string) =>
      `BODY[${name}]${origin} {${content.length}}\r\n${content}`
    const structure = '("text" "plain" NIL NIL NIL "7bit" 100 1)'
    const envelope = '(NIL "s" (("a" NIL "a" "x.test")) NIL NIL NIL NIL NIL NIL NIL)'
    const fetches: string[] = []
    const session = await scriptedSession({
      'UID FETCH': ({ rest }) => {
        fetches.push(rest)
        const rows = texts.map((text, at) => {
          const items = [`UID ${at + 1} RFC822.SIZE 9 FLAGS ()`]
          if (rest.includes('ENVELOPE'))
            items.push(`ENVELOPE ${envelope} BODYSTRUCTURE ${structure}`)
          if (rest.includes('[HEADER]')) items.push(section('HEADER', header))
          if (rest.includes('[TEXT]')) items.push(section('TEXT', text))
          return `* ${at + 1} FETCH (${items.join(' ')})`
        })
        return [...rows, '{tag} OK done']
      },
    })
    const messages = await fetchAll(session)
    expect(messages.map(({ headers }) => headers?.length)).toEqual(Array(3).fill(headerBytes))
    const lengths = messages.map((each) => each.sections?.map(({ bytes }) => bytes.length))
    expect(lengths).toEqual([[5], [20], [20]])
    expect(messages.every(({ truncated, incomplete }) => !truncated && !incomplete)).toBe(true)
    expect(await textsOf(session, messages)).toEqual(texts.map((text) => text.slice(0, 1_000)))
    expect(fetches).toHaveLength(2)
    expect(fetches[1]).toMatch(/^2:3 /)
  },
)
