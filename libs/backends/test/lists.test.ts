import { expect, test } from '@jest/globals'
import type { Hook } from '@posthorn/testkit'
import { backend, session, start } from './scripted-session.ts'

const done = '{tag} OK done'
const extended: Hook = () => ['* CAPABILITY IMAP4rev1 LIST-EXTENDED LIST-STATUS', done]
const objectId: Hook = () => ['* CAPABILITY IMAP4rev1 LIST-EXTENDED LIST-STATUS OBJECTID', done]

/** Script hook that replaces the IMAP server's response to LIST "" "*". */
function listing(reply: Hook): Hook {
  return (command) => {
    if (command.rest === '"" ""') return ['* LIST (\\Noselect) "/" ""', done]
    return command.rest.startsWith('"" "*"') ? reply(command) : [done]
  }
}

test('listMailboxes: one LIST, returns names, subscriptions, counters and ids', async () => {
  const one = await session({
    CAPABILITY: objectId,
    LIST: listing(() => [
      '* LIST (\\Subscribed) "/" INBOX',
      '* STATUS INBOX (MESSAGES 3 UIDNEXT 9 UIDVALIDITY 7 UNSEEN 1 MAILBOXID (F1))',
      '* LIST () "/" Empty',
      '* STATUS Empty (MESSAGES 0 UIDNEXT 0 UIDVALIDITY 8 UNSEEN x MAILBOXID F2)',
      '* LIST () "/" Worthless',
      '* STATUS Worthless (MESSAGES 4 UIDVALIDITY 0)',
      '* LIST () "/" Uncounted',
      '* STATUS Uncounted (UIDNEXT 5 UIDVALIDITY 9)',
      done,
    ]),
  })
  const before = one.received.length
  const listed = await one.listMailboxes({ status: true })
  expect(listed.map(({ path, mailboxId, status }) => [path, mailboxId, status])).toEqual([
    ['INBOX', 'F1', { path: 'INBOX', messages: 3, uidNext: 9, uidValidity: 7n, unseen: 1 }],
    ['Empty', 'F2', { path: 'Empty', messages: 0, uidNext: 0, uidValidity: 8n }],
    ['Uncounted', undefined, undefined],
    ['Worthless', undefined, undefined],
  ])
  expect(one.received.slice(before)).toEqual([
    'LIST "" "*" RETURN (CHILDREN SUBSCRIBED STATUS (MESSAGES UIDNEXT UIDVALIDITY UNSEEN MAILBOXID))',
  ])
})

test('listMailboxes: omits names marked as non-existent, not their children', async () => {
  const one = await session({
    CAPABILITY: extended,
    LIST: listing(() => [
      '* LIST (\\Subscribed) "/" INBOX',
      '* LIST (\\NonExistent \\HasChildren) "/" Level',
      '* LIST () "/" Level/Below',
      '* LIST (\\Subscribed \\nonexistent) "/" Gone',
      '* LIST (\\Noselect) "/" Shown',
      done,
    ]),
  })
  const listed = await one.listMailboxes()
  expect(listed.map(({ path, selectable }) => [path, selectable])).toEqual([
    ['INBOX', true],
    ['Level/Below', true],
    ['Shown', false],
  ])
})

test.each(['BAD syntax', 'NO [SERVERBUG] not today'])(
  'listMailboxes: counters rejected with %s, requests them no more',
  async (refusal) => {
    const one = await session({
      CAPABILITY: extended,
      LIST: listing(({ rest }) =>
        rest.includes('STATUS')
          ? ['* LIST (\\Subscribed) "/" INBOX', `{tag} ${refusal}`]
          : ['* LIST (\\Subscribed) "/" INBOX', '* LIST () "/" Work', done],
      ),
    })
    for (let n = 0; n < 2; n++) {
      const listed = await one.listMailboxes({ status: true })
      expect(listed.map(({ path, status }) => [path, status])).toEqual([
        ['INBOX', undefined],
        ['Work', undefined],
      ])
    }
    expect(one.received.filter((line) => line.includes('STATUS (MESSAGES'))).toHaveLength(1)
    expect(one.received.some((line) => line.startsWith('STATUS'))).toBe(false)
  },
)

test('listMailboxes: inbox listed twice or not at all, returns it once', async () => {
  const twice = await session({
    LIST: listing(() => ['* LIST () "/" INBOX', '* LIST () "/" Inbox', done]),
  })
  expect((await twice.listMailboxes()).map(({ path }) => path)).toEqual(['INBOX'])

  const hidden = await session({
    LIST: ({ rest }) =>
      rest === '"" "INBOX"'
        ? ['* LIST () "/" INBOX', done]
        : [rest === '"" ""' ? '* LIST (\\Noselect) "/" ""' : '* LIST () "/" Work', done],
  })
  expect((await hidden.listMailboxes()).map(({ path }) => path).sort()).toEqual(['INBOX', 'Work'])

  const none = await session({ LIST: listing(() => ['* LIST () "/" Work', done]) })
  expect((await none.listMailboxes()).map(({ path }) => path)).toEqual(['Work'])
})

test.each([
  ['no mailboxes', []],
  ['unselectable mailboxes', ['* LIST (\\NonExistent) "/" Gone', '* LIST (\\Noselect) "/" Up']],
])('listMailboxes: list of %s, is unreachable', async (_, lines) => {
  const one = await session({ LIST: listing(() => [...lines, done]) })
  await expect(one.listMailboxes()).rejects.toMatchObject({ kind: 'unreachable' })
})

test('listMailboxes: rejected, has the text of the server', async () => {
  const one = await session({ LIST: listing(() => ['{tag} NO [UNAVAILABLE] in a minute']) })
  await expect(one.listMailboxes()).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'UNAVAILABLE',
  })
})

test('MailboxNames: invalid UTF-7, is sent unchanged', async () => {
  const names = ['R&D', 'Entwürfe', 'a&b-c', 'Entw&APw-rfe/Alt', 'Tom &- Jerry']
  const one = await session({
    LIST: listing(() => [
      '* LIST () "/" INBOX',
      ...names.map((name) => `* LIST () "/" "${name}"`),
      done,
    ]),
    STATUS: ({ rest }) => [
      `* STATUS ${Buffer.from(rest, 'latin1')
        .toString()
        .replace(/ \(.*$/, '')} (MESSAGES 1 UIDVALIDITY 5)`,
      done,
    ],
  })
  const paths = (await one.listMailboxes()).map(({ path }) => path)
  expect(paths.toSorted()).toEqual(
    ['INBOX', 'R&D', 'Entwürfe', 'a&b-c', 'Entwürfe/Alt', 'Tom & Jerry'].toSorted(),
  )
  for (const path of paths) {
    expect(await one.status(path)).toMatchObject({ path, messages: 1 })
    await one.select(path)
  }
  const selected = one.received
    .filter((line) => line.startsWith('SELECT'))
    .map((line) => Buffer.from(line.replace(/^SELECT "?(.*?)"?$/, '$1'), 'latin1').toString())
  expect(selected.slice(1).toSorted()).toEqual(['INBOX', ...names].toSorted())
})

test('listMailboxes: name with invalid UTF-8, is not selectable', async () => {
  const one = await session({
    LIST: listing(() => ({
      raw: '* LIST () "/" "Entw\xfcrfe"\r\n* LIST () "/" INBOX\r\n{tag} OK done\r\n',
    })),
  })
  const listed = await one.listMailboxes()
  expect(listed.map(({ path, selectable }) => [path, selectable])).toEqual([
    ['INBOX', true],
    ['Entw\uFFFDrfe', false],
  ])
})

test('MailSession.status: STATUS of another mailbox, is not the result', async () => {
  const one = await session({
    STATUS: () => [
      '* STATUS Other (MESSAGES 9 UIDNEXT 9 UIDVALIDITY 9)',
      '* STATUS inbox (MESSAGES 5 UIDNEXT 6 UIDVALIDITY 7)',
      '* STATUS "Other 2" (MESSAGES 9 UIDNEXT 9 UIDVALIDITY 9)',
      done,
    ],
  })
  expect(await one.status('INBOX')).toEqual({
    path: 'INBOX',
    messages: 5,
    uidNext: 6,
    uidValidity: 7n,
  })
})

test.each([
  ['without STATUS response', [done], { kind: 'unreachable', code: 'NoUidValidity' }],
  ['rejected with NO, mailbox not listed', ['{tag} NO no'], { code: 'FolderNotFound' }],
  ['BAD', ['{tag} BAD no'], { kind: 'rejected' }],
])('MailSession.status: %s, is an error', async (_, reply, expected) => {
  const one = await session({ STATUS: () => reply, LIST: listing(() => [done]) })
  await expect(one.status('Gone')).rejects.toMatchObject(expected)
})

test('MailboxNames: raw name in a session without a list, is learnt after a rejection', async () => {
  const { options, received } = await start({
    LIST: listing(({ rest }) => [...(rest.includes('*') ? ['* LIST () "/" "R&D"'] : []), done]),
    SELECT: ({ rest }) =>
      rest === '"R&D"'
        ? ['* 3 EXISTS', '* OK [UIDVALIDITY 7] ok', done]
        : ['{tag} NO [NONEXISTENT] no such mailbox'],
  })
  await using one = await backend.connect(options)
  expect(await one.select('R&D')).toMatchObject({ path: 'R&D', messages: 3 })
  await expect(one.select('R&B')).rejects.toMatchObject({ code: 'FolderNotFound' })
  await expect(one.select('Gone')).rejects.toMatchObject({ code: 'FolderNotFound' })
  expect(received.filter((line) => line.startsWith('LIST "" "*"'))).toHaveLength(2)
})

const uncounted: Hook = () => ['* OK [UIDVALIDITY 7] ok', '* OK [UIDNEXT 4] ok', done]

test('MailSession.select: without EXISTS, STATUS counts the messages', async () => {
  const one = await session({
    SELECT: uncounted,
    STATUS: () => ['* STATUS INBOX (MESSAGES 3 UIDNEXT 4 UIDVALIDITY 7)', done],
  })
  expect(await one.select('INBOX')).toMatchObject({ path: 'INBOX', messages: 3 })
})

test.each([
  ['without MESSAGES', ['* STATUS INBOX (UIDNEXT 4 UIDVALIDITY 7)', done]],
  ['without a STATUS response', [done]],
])('MailSession.select: without EXISTS, %s, is rejected', async (_name, reply) => {
  let hasExists = true
  const one = await session({
    SELECT: (command) =>
      hasExists ? ['* 3 EXISTS', ...(uncounted(command) as string[])] : uncounted(command),
    STATUS: () => reply,
  })
  hasExists = false
  await expect(one.select('INBOX')).rejects.toMatchObject({ kind: 'rejected' })
})
