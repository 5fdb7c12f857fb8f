import { afterAll, describe, expect, test } from '@jest/globals'
import { isSwitchedOff, testCyrus, testDovecot } from '@posthorn/testkit'
import { expectedSections } from '../src/imap/messages/expected-sections.ts'
import type { FetchedMessage, MailSession, MessagePartsRequest } from '../src/mail-session.ts'
import { imapEnvironment, type MailServer, testBackend } from './imap-environment.ts'

const dovecot = await testDovecot()
afterAll(() => dovecot.drop())
const servers: [string, MailServer][] = [['Dovecot', dovecot]]
if (!isSwitchedOff('TEST_CYRUS')) {
  const cyrus = await testCyrus()
  afterAll(() => cyrus.drop())
  servers.push(['Cyrus', cyrus])
}

const crlf = (...lines: readonly string[]) => [...lines, ''].join('\r\n')
const single = (text: string) => crlf('Subject: single', '', text)
const alternative = (plain: string, html: string) =>
  crlf(
    'Subject: alternative',
    'MIME-Version: 1.0',
    'Content-Type: multipart/alternative; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    plain,
    '--b',
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(html).toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
    '--b--',
  )

/** Request for all parts of a message, with the sections that were fetched with the message. */
function requestOf({ uid, bodyStructure, sections = [] }: FetchedMessage): MessagePartsRequest {
  const { childNodes: leaves = [bodyStructure] } = bodyStructure
  const wanted = leaves.map(({ part = '' }) => ({ part, maxBytes: 100_000 }))
  return { uid, structure: bodyStructure, wanted, fetched: sections }
}

async function textsOf(session: MailSession, requests: readonly MessagePartsRequest[]) {
  const parts = await session.readPartsOfAll(requests)
  return parts.map((each) => each && [...each.values()].map((bytes) => bytes.toString().trim()))
}

describe.each(servers)('FetchOptions.sections: %s', (_, server) => {
  const environment = imapEnvironment(testBackend(), server)

  /**
   * Fetches the messages together with the body sections that messages with the structure of the
   * first message have.
   */
  async function fetch(sources: readonly string[], expectedOf?: string) {
    await using account = await environment.account()
    for (const source of expectedOf === undefined ? sources : [expectedOf, ...sources])
      await account.append(source)
    const open = async () => {
      const session = await environment.backend.connect(account.options)
      await session.select('INBOX', { readOnly: true })
      return session
    }
    await using session = await open()
    const all = await Array.fromAsync(session.fetchMessages([[1, 99]], { headers: true }))
    const sections = expectedSections(all.slice(0, 1).map(requestOf))
    const first = expectedOf === undefined ? 0 : 1
    const uids = all.slice(first).map(({ uid }) => uid)
    const range = [uids[0] ?? 0, uids.at(-1) ?? 0] as const
    const messages = await Array.fromAsync(
      session.fetchMessages([range], { headers: true, sections }),
    )
    const requests = messages.map(requestOf)
    const texts = await textsOf(session, requests)
    const plain = requests.map(({ fetched: _fetched, ...each }) => each)
    expect(texts).toEqual(await textsOf(session, plain))
    expect(messages.map(({ sections: _sections, ...each }) => each)).toEqual(all.slice(first))
    await session[Symbol.asyncDispose]()
    // Message texts that can be read on a closed IMAP connection needed no FETCH.
    const withoutFetch = await Promise.all(
      requests.map((request) => textsOf(session, [request]).catch(() => 'fetched')),
    )
    return { sections, texts, withoutFetch }
  }

  test('messages of the same form, need no FETCH for their texts', async () => {
    const sources = ['one', 'two', 'three'].map((word) => alternative(word, `<p>${word}</p>`))
    const { sections, texts, withoutFetch } = await fetch(sources)
    expect(sections.map(({ key }) => key)).toEqual(['1', '2'])
    expect(texts).toEqual(['one', 'two', 'three'].map((word) => [word, `<p>${word}</p>`]))
    expect(withoutFetch).toEqual(texts.map((each) => [each]))
  })

  test('texts longer than the section, are fetched as a whole', async () => {
    const long = alternative('long', `<p>${'0123456789'.repeat(500)}</p>`)
    const sources = [alternative('a', '<p>a</p>'), long, alternative('b', '<p>b</p>')]
    const { texts, withoutFetch } = await fetch(sources)
    expect(texts[1]?.[1]).toHaveLength(5_007)
    expect(withoutFetch).toEqual([[texts[0]], 'fetched', [texts[2]]])
  })

  test('text as long as the section, is fetched as a whole', async () => {
    const texts = [1_020, 1_021, 1_022, 1_023].map((length) => 'x'.repeat(length))
    const read = await fetch(texts.map(single), single('a'))
    expect(read.sections).toEqual([{ key: 'TEXT', maxLength: 1_024 }])
    expect(read.texts).toEqual(texts.map((text) => [text]))
    expect(read.withoutFetch).toEqual([[[texts[0]]], [[texts[1]]], 'fetched', 'fetched'])
  })

  test('message without such sections, is complete', async () => {
    const { texts, withoutFetch } = await fetch([single('one')], alternative('a', '<p>a</p>'))
    expect(texts).toEqual([['one']])
    expect(withoutFetch).toEqual(['fetched'])
  })

  test('multipart of which TEXT was fetched, is read by its parts', async () => {
    const sources = [alternative('one', '<p>one</p>'), single('two'), single('')]
    const { texts, withoutFetch } = await fetch(sources, single('a'))
    expect(texts).toEqual([['one', '<p>one</p>'], ['two'], ['']])
    expect(withoutFetch.slice(0, 2)).toEqual(['fetched', [['two']]])
  })
})
