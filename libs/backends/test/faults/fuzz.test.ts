import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Hook, ImapScript } from '@posthorn/testkit'
import type { MailSession } from '../../src/mail-session.ts'
import { backend, optionsOf, start, inTime } from './fault-setup.ts'

/** Number of rounds of the IMAP fuzz test. The number of a failed round reproduces the failure. */
const rounds = 240
const seed = 20_240_229

const escaped: unknown[] = []
const recordError = (error: unknown) => void escaped.push(error)
beforeAll(
  () => void process.on('unhandledRejection', recordError).on('uncaughtException', recordError),
)
afterAll(
  () => void process.off('unhandledRejection', recordError).off('uncaughtException', recordError),
)

type Random = (below: number) => number

/** Random number generator Mulberry32: small, fast and deterministic. */
function randomFrom(start: number): Random {
  let state = start
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

const fragments =
  '( ) () (( )) " \\ [ ] {3}\r\n {99999}\r\n ~{2}\r\n <0> NIL * + \0 \r\n \r \n \xff &AOQ- & -1 0 4294967295 99999999999999999999 1:* 9.3e+06 [ALERT]'
    .split(' ')
    .concat([
      ' ',
      '* BYE',
      '* OK [',
      '* 1 FETCH (',
      '* 5 EXPUNGE',
      '* VANISHED 1:4294967295',
      '* 0 EXISTS',
      '* SEARCH 1 1',
      '* ESEARCH (TAG "x") UID ALL 1:9',
      '* LIST () NIL x',
      '* STATUS x (',
      '* CAPABILITY',
      '[UIDVALIDITY 0]',
    ])

function mutate(line: string, random: Random): string {
  const at = random(line.length + 1)
  const length = random(12)
  const scrap = fragments[random(fragments.length)] ?? ''
  const mutations = [
    () => line.slice(0, at),
    () => line.slice(0, at) + scrap + line.slice(at),
    () => line.slice(0, at) + line.slice(at + length),
    () => line.slice(0, at) + scrap + line.slice(at + length),
    () => line + line,
    () =>
      line.slice(0, at) +
      line.slice(at, at + length).repeat(1 + random(200)) +
      line.slice(at + length),
    () => Array.from({ length: random(60) }, () => String.fromCharCode(random(256))).join(''),
    () =>
      `* ${Array.from({ length: random(9) }, () => fragments[random(fragments.length)]).join(random(2) === 0 ? ' ' : '')}`,
  ]
  return mutations[random(mutations.length)]?.() ?? line
}

/**
 * Mutates some lines of the scripted IMAP server's default response, and the tagged line in one
 * case of ten.
 */
function mutateReplies(random: Random): Hook {
  return async (command) => {
    const lines = await command.defaultReply()
    const tagged = lines.pop() ?? ''
    const replies = lines.flatMap((line) => {
      const choice = random(6)
      if (choice === 0) return []
      return choice < 4 ? [mutate(line, random)] : [line]
    })
    while (random(3) === 0) replies.splice(random(replies.length + 1), 0, mutate('* OK', random))
    return {
      raw: `${[...replies, random(10) === 0 ? mutate(tagged, random) : tagged].join('\r\n')}\r\n`,
    }
  }
}

type Call = (session: MailSession) => Promise<unknown>

const calls: readonly Call[] = [
  (session) => session.listMailboxes({ status: true }),
  (session) => session.select('INBOX'),
  (session) => session.status('INBOX'),
  (session) => session.ping(),
  (session) => session.searchUids({ all: true }),
  (session) => session.search({ subject: 'm', unseen: true }),
  (session) => Array.fromAsync(session.fetchMessages([[1, 3]], { headers: true })),
  (session) => session.fetchBySequence(1, 3),
  (session) => Array.fromAsync(session.changesSince(1n)),
  async (session) => Array.fromAsync((await session.downloadSource(1)).content),
  async (session) => Array.fromAsync((await session.downloadPart(1, '1')).content),
  (session) => session.changeFlags([[1, 2]], { add: ['\\Seen'] }),
  (session) => session.moveMessages([[2, 2]], 'Archive'),
  (session) => session.expungeMessages([[3, 3]]),
  (session) => session.appendMessage('Archive', Buffer.from('Subject: x\r\n\r\nx\r\n')),
  (session) => session.quota(),
  (session) => session.createMailbox('New'),
  (session) => session.renameMailbox('Archive', 'Old'),
  (session) => session.watch(() => undefined, AbortSignal.timeout(20)),
]

/**
 * Closes the connection of an idle IMAP server after 20 turns of the event loop without a command.
 * By then all sent data has arrived, however slow the machine is.
 */
function hangUpWhenIdle(server: ImapScript): Disposable {
  let receivedLines = server.received.length
  let idleTurns = 0
  const timer = setInterval(() => {
    idleTurns = server.received.length === receivedLines ? idleTurns + 1 : 0
    receivedLines = server.received.length
    if (idleTurns === 20) server.drop()
  }, 3)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

test('MailSession: random responses, every call ends with a result or an AppError', async () => {
  const outcomes = { answered: 0, refused: 0, ended: 0 }
  const round = async (number: number) => {
    const random = randomFrom(seed + number)
    const server = await start(3, { mailboxes: ['Archive'] })
    const settle = async (work: Promise<unknown>) => {
      using _hangingUp = hangUpWhenIdle(server)
      const outcome = await inTime(work).then(
        () => 'answered' as const,
        (error: unknown) => {
          expect({ number, error }).toMatchObject({ error: { name: 'AppError' } })
          return 'refused' as const
        },
      )
      outcomes[outcome]++
    }
    const disturbed = mutateReplies(random)
    if (number % 5 === 0) server.on('*', disturbed)
    const connecting = hangUpWhenIdle(server)
    await using session = await backend.connect(optionsOf(server)).catch((error: unknown) => {
      expect({ number, error }).toMatchObject({ error: { name: 'AppError' } })
      return undefined
    })
    connecting[Symbol.dispose]()
    if (!session) return
    await settle(session.select('INBOX'))
    server.on('*', disturbed)
    for (let n = 0; n < 6; n++) {
      const call = calls[random(calls.length)]
      if (call) await settle(call(session))
    }
    server.drop()
    await inTime(session.closed)
    outcomes.ended++
  }
  for (let number = 0; number < rounds; number += 8)
    await Promise.all(Array.from({ length: 8 }, (_, n) => round(number + n)))
  expect(escaped).toEqual([])
  expect(outcomes.ended).toBeGreaterThan(rounds / 2)
  expect(outcomes.answered).toBeGreaterThan(rounds)
  expect(outcomes.refused).toBeGreaterThan(rounds / 2)
})
