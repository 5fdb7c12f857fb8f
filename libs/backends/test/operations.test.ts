import { expect, test } from '@jest/globals'
import type { Hook } from '@posthorn/testkit'
import type { MailSession } from '../src/mail-session.ts'
import { session } from './scripted-session.ts'

const ok = ['{tag} OK done']

function advertises(...capabilities: string[]): Hook {
  return () => [`* CAPABILITY IMAP4rev1 ${capabilities.join(' ')}`, ...ok]
}

/** IMAP commands of the session after SELECT. */
function storeCommands({ received }: MailSession & { received: string[] }): string[] {
  return received.slice(received.findLastIndex((line) => line.startsWith('SELECT')) + 1)
}

const accepting = { 'UID STORE': () => ok, 'UID EXPUNGE': () => ok, EXPUNGE: () => ok }
const copied = ['{tag} OK [COPYUID 9 1:2 11:12] done']

test('moveMessages: without MOVE, copies, marks and expunges exactly these', async () => {
  const one = await session({
    ...accepting,
    CAPABILITY: advertises('UIDPLUS'),
    'UID COPY': () => copied,
  })
  expect(await one.moveMessages([[1, 2]], 'Ö')).toEqual({
    path: 'Ö',
    uidValidity: 9n,
    uids: new Map([
      [1, 11],
      [2, 12],
    ]),
  })
  expect(storeCommands(one)).toEqual([
    'UID COPY 1:2 &ANY-',
    'UID STORE 1:2 +FLAGS.SILENT (\\Deleted)',
    'UID EXPUNGE 1:2',
  ])
})

test('moveMessages: without MOVE and UIDPLUS, copies and leaves them marked', async () => {
  const one = await session({ ...accepting, 'UID COPY': () => ok })
  expect(await one.moveMessages([[1, 2]], 'There')).toEqual({ path: 'There' })
  expect(storeCommands(one)).toEqual([
    'UID COPY 1:2 There',
    'UID STORE 1:2 +FLAGS.SILENT (\\Deleted)',
  ])
})

test.each([
  ['TRYCREATE', { kind: 'not-found', code: 'FolderNotFound' }],
  ['OVERQUOTA', { kind: 'rejected', code: 'OVERQUOTA' }],
])('moveMessages: COPY rejected with %s, marks nothing', async (code, error) => {
  const one = await session({ ...accepting, 'UID COPY': () => [`{tag} NO [${code}] no`] })
  await expect(one.moveMessages([[1, 2]], 'There')).rejects.toMatchObject(error)
  expect(storeCommands(one)).toEqual(['UID COPY 1:2 There'])
})

test('moveMessages: inconsistent COPYUID, returns no UIDs', async () => {
  const one = await session({
    CAPABILITY: advertises('MOVE', 'UIDPLUS'),
    'UID MOVE': () => ['* OK [COPYUID 9 1:3 11:12] moved', ...ok],
  })
  expect(await one.moveMessages([[1, 3]], 'There')).toEqual({ path: 'There', uidValidity: 9n })
})

test.each([
  ['1 2', ['EXPUNGE']],
  ['1 2 3', []],
])(
  'expungeMessages: without UIDPLUS, %s marked, sends EXPUNGE only if no other message is affected',
  async (marked, last) => {
    const one = await session({ ...accepting, 'UID SEARCH': () => [`* SEARCH ${marked}`, ...ok] })
    await one.expungeMessages([
      [2, 2],
      [1, 1],
    ])
    expect(storeCommands(one)).toEqual([
      'UID STORE 1:2 +FLAGS.SILENT (\\Deleted)',
      'UID SEARCH DELETED',
      ...last,
    ])
  },
)

test('createMailbox: personal namespace, prepends its prefix with its delimiter', async () => {
  const one = await session({
    CAPABILITY: advertises('NAMESPACE'),
    NAMESPACE: () => ['* NAMESPACE (("INBOX." ".")) NIL NIL', ...ok],
    CREATE: () => ['{tag} OK [MAILBOXID (F2212ea87-6097-4256-9d51-71338625)] done'],
    SUBSCRIBE: () => ['{tag} NO not here'],
  })
  expect(await one.createMailbox(['Kunden', 'Ä'])).toEqual({
    path: 'INBOX.Kunden.Ä',
    created: true,
    mailboxId: 'F2212ea87-6097-4256-9d51-71338625',
  })
  expect((await one.createMailbox('INBOX.Da.')).path).toBe('INBOX.Da')
  expect((await one.createMailbox('Inbox.inbox')).path).toBe('INBOX.inbox')
  expect(storeCommands(one)).toEqual([
    'CREATE "INBOX.Kunden.&AMQ-"',
    'SUBSCRIBE "INBOX.Kunden.&AMQ-"',
    'CREATE "INBOX.Da"',
    'SUBSCRIBE "INBOX.Da"',
    'CREATE "INBOX.inbox"',
    'SUBSCRIBE "INBOX.inbox"',
  ])
})

test.each([
  ['NO [ALREADYEXISTS] there', { kind: 'rejected', code: 'ALREADYEXISTS' }],
  ['NO [NONEXISTENT] gone', { kind: 'rejected', code: 'NONEXISTENT' }],
  ['NO [INUSE] busy', { kind: 'rejected', code: 'INUSE' }],
  ['NO [LIMIT] full', { kind: 'rejected', code: 'LIMIT' }],
  ['BAD what', { kind: 'rejected' }],
  ['NO [UNAVAILABLE] later', { kind: 'rejected', code: 'UNAVAILABLE' }],
  ['NO [SERVERBUG] oops', { kind: 'rejected', code: 'SERVERBUG' }],
  ['NO [EXPIRED] log in again', { kind: 'unauthorized', code: 'EXPIRED' }],
])(
  'mailboxError: %s to a command on a mailbox, is rejected with its code',
  async (reply, error) => {
    const refusing: Hook = () => [`{tag} ${reply}`]
    const one = await session({ CREATE: refusing, RENAME: refusing, DELETE: refusing })
    const code = 'code' in error ? error.code : undefined
    await expect(one.createMailbox('a')).rejects.toMatchObject(error)
    await expect(one.renameMailbox('a', 'b')).rejects.toMatchObject({
      ...error,
      code: code ?? 'RenameFailed',
    })
    await expect(one.deleteMailbox('a')).rejects.toMatchObject({
      ...error,
      code: code ?? 'DeleteFailed',
      extras: { info: { response: expect.stringContaining(reply.split(' ').at(-1) ?? '') } },
    })
  },
)

test('deleteMailbox: selected mailbox, selects the inbox first without expunging', async () => {
  const one = await session({
    CAPABILITY: advertises('UNSELECT'),
    EXAMINE: () => ['* 0 EXISTS', '* OK [UIDVALIDITY 1] ok', ...ok],
    DELETE: () => ok,
    UNSUBSCRIBE: () => ok,
  })
  await one.select('Work/Old')
  await one.deleteMailbox('Work')
  expect(storeCommands(one)).toEqual(['EXAMINE INBOX', 'DELETE "Work"', 'UNSUBSCRIBE "Work"'])
})

const rootLine = '* QUOTAROOT INBOX "" "user"'
test.each([
  ['one root', [rootLine, '* QUOTA "" (STORAGE 10 512)'], { usage: 10_240, limit: 524_288 }],
  ['other resources', ['* QUOTA "" (MESSAGE 1 2 STORAGE 1 4)'], { usage: 1_024, limit: 4_096 }],
  [
    'several roots',
    ['* QUOTA a (STORAGE 1 9)', '* QUOTA b (STORAGE 3 4)'],
    { usage: 3_072, limit: 4_096 },
  ],
  [
    'limit beyond safe integers',
    ['* QUOTA "" (STORAGE 1 9223372036854775807)'],
    { usage: 1_024, limit: Number.MAX_SAFE_INTEGER },
  ],
  ['no root', ['* QUOTAROOT INBOX'], undefined],
  ['no limit', [rootLine, '* QUOTA "" ()'], undefined],
  ['invalid data', ['* QUOTA "" (STORAGE -1 x)', '* QUOTA', '* QUOTA NIL NIL'], undefined],
])('MailSession.quota: %s', async (_, lines, quota) => {
  const one = await session({
    CAPABILITY: advertises('QUOTA=RES-STORAGE'),
    GETQUOTAROOT: () => [...lines, ...ok],
    GETQUOTA: () => ['{tag} NO [NOPERM] for administrators'],
  })
  expect(await one.quota()).toEqual(quota)
})

test('MailSession.quota: root without resources, requests it with GETQUOTA', async () => {
  const one = await session({
    CAPABILITY: advertises('QUOTA'),
    GETQUOTAROOT: () => ['* QUOTAROOT INBOX "a b"', ...ok],
    GETQUOTA: ({ rest }) => [`* QUOTA ${rest} (STORAGE 1 2)`, ...ok],
  })
  expect(await one.quota()).toEqual({ usage: 1_024, limit: 2_048 })
})

test('renameMailbox: name with wildcards of LSUB, renames its subscriptions only', async () => {
  const subscribed = ['a%', 'a%/x', 'ab', 'ab/x', 'a%b']
  const one = await session({
    RENAME: () => ok,
    SUBSCRIBE: () => ok,
    UNSUBSCRIBE: () => ok,
    LSUB: ({ rest }) => [
      ...subscribed.map((name) => `* LSUB () "/" "${name}"`),
      '* LSUB (\\Noselect) "/" "a%/y"',
      rest.includes('*') ? '{tag} NO [CANNOT] tell' : '{tag} OK done',
    ],
  })
  expect(await one.renameMailbox('a%', 'b')).toBe('b')
  expect(storeCommands(one).filter((line) => !line.startsWith('LSUB'))).toEqual([
    'RENAME "a%" "b"',
    'SUBSCRIBE "b"',
    'UNSUBSCRIBE "a%"',
    'SUBSCRIBE "b/x"',
    'UNSUBSCRIBE "a%/x"',
  ])
})

test('MailSession.quota: no quota, is undefined, a rejection is an error', async () => {
  const without = await session({})
  expect(await without.quota()).toBeUndefined()
  const one = await session({
    CAPABILITY: advertises('QUOTA'),
    GETQUOTAROOT: () => ['{tag} NO [NOPERM] not for you'],
  })
  await expect(one.quota()).rejects.toMatchObject({ kind: 'rejected', code: 'NOPERM' })
})

test.each([
  ['[TRYCREATE] no', { kind: 'not-found', code: 'FolderNotFound' }],
  [
    '[OVERQUOTA] full',
    { kind: 'rejected', code: 'OVERQUOTA', extras: { info: { response: 'full', status: 'NO' } } },
  ],
  ['[TOOBIG] much', { kind: 'rejected', code: 'TOOBIG' }],
  ['just so', { kind: 'rejected', code: undefined }],
])('appendMessage: rejected with %s', async (reply, error) => {
  const one = await session({ APPEND: () => [`{tag} NO ${reply}`] })
  await expect(one.appendMessage('There', Buffer.from('x\r\n'))).rejects.toMatchObject(error)
  await one.ping()
})

test('appendMessage: beyond APPENDLIMIT, sends nothing', async () => {
  const one = await session({ CAPABILITY: advertises('APPENDLIMIT=1000') })
  await expect(one.appendMessage('There', Buffer.alloc(1_001, 'x'))).rejects.toMatchObject({
    kind: 'rejected',
    code: 'TOOBIG',
    extras: { info: { response: expect.stringContaining('1000') } },
  })
  expect(storeCommands(one)).toEqual([])
})

test('appendMessage: UID without UIDVALIDITY, returns no UID', async () => {
  const one = await session({
    APPEND: () => ['* 4 EXISTS', ...ok],
    'UID SEARCH': () => ['* SEARCH 99', ...ok],
  })
  expect(await one.appendMessage('INBOX', Buffer.from('x'))).toEqual({ path: 'INBOX', seq: 4 })
})

test('MailSession.search: CHARSET rejected, sends UTF-8 without it', async () => {
  const rejected: string[] = []
  const one = await session({
    literal: ({ name, rest }) => {
      if (!rest.startsWith('CHARSET')) return undefined
      rejected.push(`${name} ${rest}`)
      return ['{tag} NO [BADCHARSET (US-ASCII)] what is that']
    },
    'UID SEARCH': () => ['* SEARCH 2', ...ok],
  })
  expect(await one.search({ subject: 'grüße' })).toEqual([[2, 2]])
  expect(await one.search({ subject: 'größe' })).toEqual([[2, 2]])
  expect(rejected).toEqual(['UID SEARCH CHARSET UTF-8 SUBJECT {7}'])
  expect(storeCommands(one)).toEqual([
    expect.stringMatching(/^UID SEARCH SUBJECT \{7\}\r\n/),
    expect.stringMatching(/^UID SEARCH SUBJECT \{7\}\r\n/),
  ])
})

test('MailSession.search: any terms, sends no line beyond the limit', async () => {
  let count = 0
  const one = await session({
    CAPABILITY: advertises('OBJECTID', 'ESEARCH'),
    'UID SEARCH': () => [`* ESEARCH (TAG "x") UID COUNT 1 ALL ${5 - (count++ % 4)}`, ...ok],
  })
  const set = Array.from({ length: 2_000 }, (_, n) => 4_000_000_000 + n * 2).join()
  const header = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [`X-${n}-${'h'.repeat(80)}`, '"'.repeat(60)]),
  )
  expect(await one.search({ uid: set, seq: set, header })).toEqual([[2, 5]])
  const emailIds = Array.from({ length: 120 }, (_, n) => `${n}`.padStart(250, 'M'))
  await one.search({ emailIds })
  const lines = storeCommands(one).flatMap((command) => command.split('\r\n'))
  const lengths = lines.map((line) => line.length)
  expect(lengths.length).toBeGreaterThan(10)
  expect(Math.max(...lengths)).toBeLessThan(8_000)
})

test('MailSession.search: Gmail labels, are searched, stored and encoded for Gmail', async () => {
  const one = await session({
    CAPABILITY: advertises('X-GM-EXT-1'),
    'UID SEARCH': () => ['* SEARCH 1', ...ok],
    'UID STORE': () => ok,
  })
  await one.search({ labels: { has: ['\\Important', 'Ä "b"'], not: ['c'] }, gmailRaw: 'has:x' })
  await one.search({ emailIds: ['12', 'x', '13'] })
  await one.search({ threadId: '99' })
  await one.changeLabels([[1, 3]], { add: ['Ä b', '\\Starred'], remove: ['c/d'] })
  await one.changeLabels([[1, 1]], { set: [] })
  expect(storeCommands(one)).toEqual([
    'UID SEARCH X-GM-RAW "has:x" X-GM-LABELS "\\\\Important" X-GM-LABELS "&AMQ- \\"b\\"" NOT X-GM-LABELS "c"',
    'UID SEARCH OR X-GM-MSGID 12 X-GM-MSGID 13',
    'UID SEARCH X-GM-THRID 99',
    'UID STORE 1:3 +X-GM-LABELS ("&AMQ- b" \\Starred)',
    'UID STORE 1:3 -X-GM-LABELS (c/d)',
    'UID STORE 1 X-GM-LABELS ()',
  ])
  for (const label of ['', 'a\r\nX LOGOUT', '\\a b'])
    await expect(one.changeLabels([[1, 1]], { add: [label] })).rejects.toMatchObject({
      kind: 'invalid',
    })
})

test('changeFlags: server that does not store the flags, is rejected', async () => {
  const one = await session({ 'UID STORE': () => ['{tag} NO [LIMIT] too many keywords'] })
  await expect(one.changeFlags([[1, 1]], { add: ['work'] })).rejects.toMatchObject({
    kind: 'rejected',
    code: 'LIMIT',
  })
})
