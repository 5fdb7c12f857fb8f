import { expect, test } from '@jest/globals'
import { imapFaults, type ImapScript } from '@posthorn/testkit'
import { inbox, start } from './fault-setup.ts'

const { omits, replies, times } = imapFaults

const flagged = { add: ['\\Flagged'] }
const nothing = { unchanged: [], missing: [] }
/** Response of an IMAP server that accepts a STORE command and changes no flag. */
const ignored = replies('{tag} OK done')

/** IMAP commands of the session after SELECT. */
function commandsOf({ received }: ImapScript): string[] {
  return received.slice(received.findLastIndex((line) => line.startsWith('SELECT')) + 1)
}

const flagsOf = (server: ImapScript, uid: number) => [...server.mailbox('INBOX').message(uid).flags]

test('confirmFlags: server that reports the new flags, gets one command', async () => {
  const server = await start(3)
  const session = await inbox(server)
  expect(await session.confirmFlags([[1, 3]], flagged)).toEqual(nothing)
  expect(commandsOf(server)).toEqual(['UID STORE 1:3 +FLAGS (\\Flagged)'])
})

test('confirmFlags: server that reports no flags, is asked for them', async () => {
  const server = await start(3)
  const session = await inbox(server)
  server.on('UID STORE', omits(/FETCH/))
  expect(await session.confirmFlags([[1, 3]], flagged)).toEqual(nothing)
  expect(commandsOf(server)).toEqual([
    'UID STORE 1:3 +FLAGS (\\Flagged)',
    expect.stringMatching(/^UID FETCH 1:3 \(UID FLAGS/),
  ])
})

test('confirmFlags: change without effect, is repeated after NOOP', async () => {
  const server = await start(3)
  const session = await inbox(server)
  server.on('UID STORE', times(2, ignored))
  expect(await session.confirmFlags([[1, 2]], flagged)).toEqual(nothing)
  expect(flagsOf(server, 2)).toContain('\\Flagged')
  const names = commandsOf(server).map((line) => line.split(' ', 2).join(' '))
  const [change, read] = ['UID STORE', 'UID FETCH']
  expect(names).toEqual([change, read, 'NOOP', change, read, 'NOOP', change])
})

test('confirmFlags: some messages without the change, only these are repeated and returned', async () => {
  const server = await start(4)
  const session = await inbox(server)
  // The IMAP server cannot store the flag in two of the messages.
  server.on('UID STORE', async (command) => {
    const before = [2, 4].map(
      (uid) => [uid, [...server.mailbox('INBOX').message(uid).flags]] as const,
    )
    const lines = await command.defaultReply()
    for (const [uid, flags] of before) server.mailbox('INBOX').changeFlags(uid, { set: flags })
    return lines.map((line) => (/UID [24]/.test(line) ? line.replace('\\Flagged', '') : line))
  })
  expect(await session.confirmFlags([[1, 4]], flagged)).toEqual({
    unchanged: [
      [2, 2],
      [4, 4],
    ],
    missing: [],
  })
  const stores = commandsOf(server).filter((line) => line.startsWith('UID STORE'))
  expect(stores.map((line) => line.split(' ')[2])).toEqual(['1:4', '2,4', '2,4'])
})

test('confirmFlags: message that the server deletes when it is marked, is not missing', async () => {
  const server = await start(2)
  const session = await inbox(server)
  server.on('UID STORE', async (command) => {
    await command.defaultReply()
    server.mailbox('INBOX').expunge(1)
    return ['{tag} OK done']
  })
  expect(await session.confirmFlags([[1, 1]], { add: ['\\Deleted'] })).toEqual(nothing)
})

test('confirmFlags: more UIDs than a command confirms, costs no further command', async () => {
  const server = await start(2)
  const session = await inbox(server)
  expect(await session.confirmFlags([[1, 4_294_967_295]], flagged)).toEqual(nothing)
  expect(commandsOf(server).every((line) => line.startsWith('UID STORE'))).toBe(true)
  expect(flagsOf(server, 2)).toContain('\\Flagged')
})
