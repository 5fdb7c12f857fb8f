import { expect, test } from '@jest/globals'
import type { SelectedMailbox } from '../src/mail-session.ts'
import { backend, session, start, type Replies } from './scripted-session.ts'

const done = '{tag} OK done'
const names = ['INBOX', 'Entwürfe', 'R&D', 'a&-b', '日本語/𝒳']

/**
 * Script of an IMAP server that lists the mailboxes `listed` and accepts SELECT of each mailbox.
 */
function mailboxes(...listed: string[]): Replies {
  return {
    LIST: ({ rest }) =>
      rest === '"" ""'
        ? ['* LIST (\\Noselect) "/" ""', done]
        : [...listed.map((name) => `* LIST () "/" "${name}"`), done],
    STATUS: ({ rest }) => [
      `* STATUS ${Buffer.from(rest, 'latin1')
        .toString()
        .replace(/ \(.*$/, '')} (MESSAGES 1 UIDVALIDITY 5)`,
      done,
    ],
  }
}

function selected(commands: string[]): string[] {
  return commands.flatMap((line) => {
    const name = /^SELECT "?(.*?)"?$/.exec(line)?.[1]
    return name === undefined ? [] : [Buffer.from(name, 'latin1').toString()]
  })
}

test.each([
  [
    'UTF-8 with UTF8=ACCEPT enabled',
    {
      CAPABILITY: () => ['* CAPABILITY IMAP4rev1 ENABLE UTF8=ACCEPT', done],
      ENABLE: () => ['* ENABLED UTF8=ACCEPT', done],
    },
    names,
  ],
  [
    'modified UTF-7 without UTF8=ACCEPT',
    {
      CAPABILITY: () => ['* CAPABILITY IMAP4rev1 ENABLE UTF8=ACCEPT', done],
      ENABLE: () => [done],
    },
    ['INBOX', 'Entw&APw-rfe', 'R&-D', 'a&--b', '&ZeVnLIqe-/&2DXcsw-'],
  ],
])('MailboxNames: sends names in %s', async (_, mode: Replies, written) => {
  const one = await session({ ...mode, ...mailboxes(...written) })
  const paths = (await one.listMailboxes()).map(({ path }) => path)
  expect(paths.toSorted()).toEqual(names.toSorted())
  for (const path of paths) {
    expect(await one.status(path)).toMatchObject({ path })
    await one.select(path)
  }
  expect(selected(one.received).slice(1).toSorted()).toEqual(written.toSorted())
})

test.each([
  [undefined, true],
  [false, true],
  [true, false],
])('ImapBackend.connect: disableIMAP4rev2 %s, uses IMAP4rev2: %s', async (disabled, spoken) => {
  const { options, received } = await start({
    CAPABILITY: () => ['* CAPABILITY IMAP4rev1 IMAP4rev2 ENABLE', done],
    ENABLE: () => ['* ENABLED IMAP4REV2', done],
  })
  await using one = await backend.connect({
    ...options,
    ...(disabled === undefined ? {} : { disableIMAP4rev2: disabled }),
  })
  expect(received.some((line) => /^ENABLE .*IMAP4REV2/i.test(line))).toBe(spoken)
  expect(one.capabilities).toMatchObject({ idle: spoken, esearch: spoken, move: spoken })
})

const basic: Partial<SelectedMailbox> = { messages: 3, uidValidity: 7n }

test.each<[string, string[], Partial<SelectedMailbox>]>([
  ['no UIDNEXT', [], { ...basic, uidNext: 0 }],
  ['UIDNEXT 0', ['* OK [UIDNEXT 0] none'], { ...basic, uidNext: 0 }],
  ['UIDNEXT beyond 32 bits', ['* OK [UIDNEXT 99999999999] big'], { ...basic, uidNext: 0 }],
  ['no FLAGS', ['* OK [UIDNEXT 4] ok'], { ...basic, uidNext: 4, flags: [] }],
  [
    'response codes without a value',
    ['* OK [HIGHESTMODSEQ] what', '* OK [UIDNEXT] what', '* OK [] what'],
    { ...basic, uidNext: 0 },
  ],
])('MailSession.select: %s, succeeds', async (_, lines, expected) => {
  const { options } = await start({
    SELECT: () => ['* 3 EXISTS', '* OK [UIDVALIDITY 7] ok', ...lines, done],
  })
  await using one = await backend.connect(options)
  const selection = await one.select('INBOX')
  expect(selection).toMatchObject(expected)
  expect(selection).not.toHaveProperty('highestModseq')
})
