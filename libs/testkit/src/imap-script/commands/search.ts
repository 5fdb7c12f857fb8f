import { type Handler, ok } from '../command.ts'
import type { ScriptMessage } from '../mailbox.ts'
import { field } from '../mime-tree.ts'
import { ImapRejection } from '../store.ts'
import { isInRanges, readSet, writeSet } from '../sequence-set.ts'
import { asText, asTexts, decodeName, readDate, type Value } from '../syntax.ts'
import { selectedMailbox, type Numbered } from './selected.ts'

type Test = (numbered: Numbered) => boolean

const onSearch: Handler = (command, { capabilities }) => {
  const { session } = command
  const here = new Set(selectedMailbox(command).messages)
  const args = [...command.args]
  let wanted: string[] | undefined
  if (asText(args[0]).toUpperCase() === 'RETURN') {
    if (!capabilities.has('ESEARCH')) throw new ImapRejection('BAD Unknown argument RETURN')
    wanted = asTexts(args[1]).map((each) => each.toUpperCase())
    args.splice(0, 2)
  }
  if (asText(args[0]).toUpperCase() === 'CHARSET') {
    if (!/^(utf-8|us-ascii)$/i.test(asText(args[1])))
      throw new ImapRejection('NO [BADCHARSET (UTF-8)] Unknown charset')
    args.splice(0, 2)
  }
  const { view } = session
  const last = { uid: view.at(-1)?.uid ?? 0, seq: view.length }
  const test = allOf(args, last)
  const byUid = command.name.startsWith('UID ')
  const numbers = view
    .map((message, index): Numbered => [index + 1, message])
    .filter((numbered) => here.has(numbered[1]) && test(numbered))
    .map(([seq, { uid }]) => (byUid ? uid : seq))
  return ok(command, [
    wanted
      ? `* ESEARCH (TAG "${command.tag}")${byUid ? ' UID' : ''}${returned(wanted, numbers)}`
      : `* SEARCH ${numbers.join(' ')}`.trimEnd(),
  ])
}

/**
 * Items of an ESEARCH response. Without a match, MIN, MAX and ALL are left out (RFC 9051 §6.4.4).
 */
function returned(wanted: readonly string[], numbers: readonly number[]): string {
  const some = numbers.length > 0
  const values: Record<string, string | false> = {
    MIN: some && `MIN ${numbers[0]}`,
    MAX: some && `MAX ${numbers.at(-1)}`,
    ALL: some && `ALL ${writeSet(numbers)}`,
    COUNT: `COUNT ${numbers.length}`,
  }
  const items = wanted.length === 0 ? ['ALL'] : wanted
  return items.map((item) => (values[item] ? ` ${values[item]}` : '')).join('')
}

interface Last {
  uid: number
  seq: number
}

function allOf(keys: readonly Value[], last: Last): Test {
  const tests: Test[] = []
  for (const rest = [...keys]; rest.length > 0;) tests.push(readKey(rest, last))
  return (numbered) => tests.every((test) => test(numbered))
}

/**
 * Removes an IMAP search key with its arguments from the front of a list. Returns the function that
 * tests a message.
 */
function readKey(rest: Value[], last: Last): Test {
  const key = rest.shift()
  if (typeof key !== 'string') return allOf(key ?? [], last)
  const name = key.toUpperCase()
  const next = () => asText(rest.shift())
  if (name === 'NOT') {
    const inner = readKey(rest, last)
    return (numbered) => !inner(numbered)
  }
  if (name === 'OR') {
    const [one, other] = [readKey(rest, last), readKey(rest, last)]
    return (numbered) => one(numbered) || other(numbered)
  }
  if (name === 'UID') {
    const ranges = readSet(next(), last.uid)
    return ([, { uid }]) => isInRanges(ranges, uid)
  }
  if (/^[\d*]/.test(name)) {
    const ranges = readSet(name, last.seq)
    return ([seq]) => isInRanges(ranges, seq)
  }
  const [, un, flag] = /^(UN)?(ANSWERED|DELETED|DRAFT|FLAGGED|SEEN)$/.exec(name) ?? []
  if (flag !== undefined) {
    const systemFlag = `\\${flag.charAt(0)}${flag.slice(1).toLowerCase()}`
    return ([, { flags }]) => flags.has(systemFlag) === (un === undefined)
  }
  const test = keys[name]?.(next)
  if (!test) throw new ImapRejection(`BAD Unknown search key ${name}`)
  return ([, message]) => test(message)
}

type KeyOf = (next: () => string) => (message: ScriptMessage) => boolean

const includes = (text: string | undefined, part: string) =>
  text !== undefined && decoded(text).includes(part.toLowerCase())

/**
 * Decodes UTF-8 encoded words (RFC 2047) of a message, so that searches compare the decoded text.
 */
function decoded(text: string): string {
  return text
    .replace(/=\?utf-8\?(b|q)\?([^?]*)\?=/gi, (_word, kind: string, inside: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(inside, 'base64').toString('latin1')
        : inside
            .replaceAll('_', ' ')
            .replace(/=([0-9a-f]{2})/gi, (_byte, hex: string) =>
              String.fromCharCode(Number.parseInt(hex, 16)),
            ),
    )
    .toLowerCase()
}

/** Creates the test function of an IMAP search key with one argument. */
const withText =
  (test: (message: ScriptMessage, text: string) => boolean): KeyOf =>
  (next) => {
    const text = next()
    return (message) => test(message, text)
  }

const inField = (name: string) =>
  withText(({ tree }, part) => includes(field(tree.header, name), part))

const onDay = (compare: (day: number, than: number) => boolean, sent = false) =>
  withText(({ internalDate, tree }, text) => {
    const date = sent ? new Date(field(tree.header, 'date') ?? '') : internalDate
    return compare(new Date(date).setUTCHours(0, 0, 0, 0), readDate(text).getTime())
  })
const before = (day: number, than: number) => day < than
const since = (day: number, than: number) => day >= than
const on = (day: number, than: number) => day === than

const hasEmailId = withText(({ emailId }, id) => emailId === id)
const hasThreadId = withText(({ threadId }, id) => threadId === id)

const keys: Record<string, KeyOf> = {
  ALL: () => () => true,
  NEW: () => () => false,
  OLD: () => () => true,
  RECENT: () => () => false,
  KEYWORD: withText(({ flags }, flag) => flags.has(flag)),
  UNKEYWORD: withText(({ flags }, flag) => !flags.has(flag)),
  FROM: inField('from'),
  TO: inField('to'),
  CC: inField('cc'),
  BCC: inField('bcc'),
  SUBJECT: inField('subject'),
  HEADER: (next) => inField(next())(next),
  BODY: withText(({ tree }, part) => includes(tree.body, part)),
  TEXT: withText(({ rfc822 }, part) => includes(rfc822, part)),
  LARGER: withText(({ rfc822 }, bytes) => rfc822.length > Number(bytes)),
  SMALLER: withText(({ rfc822 }, bytes) => rfc822.length < Number(bytes)),
  BEFORE: onDay(before),
  SINCE: onDay(since),
  ON: onDay(on),
  SENTBEFORE: onDay(before, true),
  SENTSINCE: onDay(since, true),
  SENTON: onDay(on, true),
  MODSEQ: withText((message, modseq) => message.modseq >= BigInt(modseq)),
  EMAILID: hasEmailId,
  THREADID: hasThreadId,
  'X-GM-MSGID': hasEmailId,
  'X-GM-THRID': hasThreadId,
  'X-GM-LABELS': withText(({ labels }, label) => labels.has(decodeName(label))),
  // Search in Gmail's own syntax, of which only `category:` is supported. Other text is searched
  // for in the whole message.
  'X-GM-RAW': withText(({ category, rfc822 }, part) => {
    const [, name] = /^category:(\w+)$/i.exec(part) ?? []
    return name === undefined ? includes(rfc822, part) : category === name.toLowerCase()
  }),
}

export const searchCommands: Record<string, Handler> = { SEARCH: onSearch, 'UID SEARCH': onSearch }
