import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { updateMessage, updateMessages } from '@posthorn/contracts/commands/message-changes'
import { eventually, imapFaults, type ImapScript, startImapScript } from '@posthorn/testkit'
import { mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

// Changes of flags that an IMAP server accepts without effect.

let world: World
let account: string
let server: ImapScript
beforeAll(async () => {
  world = await testWorld()
  await world.startWorker({ commandConnections: 1 })
  server = await startImapScript()
  const { host, port: imapPort } = server
  account = await world.register({ host, imapPort, user: 'jane', pass: 'secret' })
  await world.connected(account)
})
const ends: (() => void)[] = []
afterEach(() => ends.splice(0).forEach((end) => end()))
afterAll(async () => {
  await world.close()
  await server[Symbol.asyncDispose]()
})

const { times, replies } = imapFaults
const ignored = replies('{tag} OK done')
const update = { flags: { add: ['\\Flagged'] } }

async function deliver(subject: string): Promise<{ id: string; uid: number }> {
  const { uid } = server.mailbox('INBOX').append(mail({ subject }))
  const id = await eventually(async () => {
    const events = await world.events(account, 'messageNew')
    const event = events.find(({ data }) => data['subject'] === subject)
    if (!event) throw new Error(`no event of ${subject}`)
    return String(event.data['id'])
  })
  return { id, uid }
}

const flagsOf = (uid: number) => [...server.mailbox('INBOX').message(uid).flags]

test('updateMessage: change without effect at first, is made', async () => {
  const { id, uid } = await deliver('late')
  ends.push(server.on('UID STORE', times(2, ignored)))
  expect(await world.ask(updateMessage, account, { message: id, update })).toEqual({
    flags: { add: true, result: ['\\Flagged'] },
  })
  expect(flagsOf(uid)).toEqual(['\\Flagged'])
})

test('updateMessage: change without effect, is reported as false', async () => {
  const { id, uid } = await deliver('never')
  ends.push(server.on('UID STORE', ignored))
  expect(await world.ask(updateMessage, account, { message: id, update })).toEqual({
    flags: { add: false, result: [] },
  })
  expect(flagsOf(uid)).toEqual([])
})

test('updateMessage: message that is deleted between search and change, is not found', async () => {
  const { id, uid } = await deliver('gone')
  const end = server.on('UID STORE', (command) => {
    end()
    server.mailbox('INBOX').expunge(uid)
    return command.defaultReply()
  })
  const request = world.ask(updateMessage, account, { message: id, update })
  await expect(request).rejects.toMatchObject({ kind: 'not-found', code: 'MessageNotFound' })
})

test('updateMessages: messages without the change, are not reported as changed', async () => {
  const { uid } = await deliver('some of many')
  const other = await deliver('some of others')
  const request = { path: 'INBOX', search: { subject: 'some of' }, update }
  const end = server.on('UID STORE', ignored)
  expect(await world.ask(updateMessages, account, request)).toEqual({ flags: { add: false } })
  end()
  expect([flagsOf(uid), flagsOf(other.uid)]).toEqual([[], []])
  expect(await world.ask(updateMessages, account, request)).toEqual({ flags: { add: true } })
  expect([flagsOf(uid), flagsOf(other.uid)]).toEqual([['\\Flagged'], ['\\Flagged']])
})
