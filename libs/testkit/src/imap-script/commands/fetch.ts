import { type Handler, ok, type ScriptCommand, type ScriptServerState } from '../command.ts'
import type { ScriptMessage } from '../mailbox.ts'
import { findPart, type MimePart, someFields } from '../mime-tree.ts'
import { asText, asTexts, dateTime, encodeName, literal, string, type Value } from '../syntax.ts'
import { isInRanges, readSet } from '../sequence-set.ts'
import { messagesInSet, selectedMailbox } from './selected.ts'
import { vanishedSince } from './select.ts'

const macros: Record<string, string[]> = {
  FAST: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE'],
  ALL: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE', 'ENVELOPE'],
  FULL: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE', 'ENVELOPE', 'BODY'],
}

const onFetch: Handler = (command, world) => {
  const { session } = command
  const mailbox = selectedMailbox(command)
  const { items, since, vanished } = readArguments(command)
  if (since !== undefined) session.enabled.add('CONDSTORE')
  const lines: string[] = []
  if (vanished && since !== undefined) {
    const wanted = readSet(asText(command.args[0]), mailbox.uidNext - 1)
    lines.push(...vanishedSince(mailbox, since, (uid) => isInRanges(wanted, uid)))
  }
  const reads = items.some((item) => /^(BODY\[|RFC822$|RFC822\.TEXT$)/i.test(item))
  for (const [seq, message] of messagesInSet(command, command.args[0])) {
    if (since !== undefined && message.modseq <= since) continue
    if (reads && !session.readOnly) mailbox.changeFlags(message.uid, { add: ['\\Seen'] })
    session.markNotified(message)
    const values = items.map((item) => describe(item, message, world))
    lines.push(`* ${seq} FETCH (${values.filter((each) => each !== '').join(' ')})`)
  }
  return ok(command, lines)
}

function readArguments({ args, name, session }: ScriptCommand) {
  const wanted = asTexts(args[1]).flatMap((item) => macros[item.toUpperCase()] ?? [item])
  const modifiers = Array.isArray(args[2]) ? (args[2] as readonly Value[]) : []
  const words = modifiers.map((each) => asText(each).toUpperCase())
  const at = words.indexOf('CHANGEDSINCE')
  const since = at < 0 ? undefined : BigInt(words[at + 1] ?? 0)
  const has = (item: string) => wanted.some((each) => each.toUpperCase() === item)
  const items = [
    // UID FETCH always returns the UID of a message (RFC 9051 §6.4.9).
    ...(name === 'UID FETCH' && !has('UID') ? ['UID'] : []),
    ...wanted,
    ...((since !== undefined || session.enabled.has('CONDSTORE')) && has('FLAGS') && !has('MODSEQ')
      ? ['MODSEQ']
      : []),
  ]
  return { items, since, vanished: words.includes('VANISHED') }
}

function describe(item: string, message: ScriptMessage, world: ScriptServerState): string {
  const name = item.toUpperCase()
  if (message.overrides.has(name)) {
    const lie = message.overrides.get(name)
    return lie === undefined ? '' : `${name} ${lie}`
  }
  const simple = attributes[name]?.(message)
  if (simple !== undefined) return `${name} ${simple}`
  if (name.startsWith('X-GM-') || name.endsWith('ID')) return provided(name, message, world)
  return section(item, message)
}

const attributes: Record<string, (message: ScriptMessage) => string> = {
  UID: ({ uid }) => String(uid),
  FLAGS: ({ flags }) => `(${[...flags].join(' ')})`,
  MODSEQ: ({ modseq }) => `(${modseq})`,
  INTERNALDATE: ({ internalDate }) => dateTime(internalDate),
  'RFC822.SIZE': ({ rfc822 }) => String(rfc822.length),
  ENVELOPE: ({ envelope }) => envelope,
  BODYSTRUCTURE: ({ structure }) => structure,
  BODY: ({ structure }) => structure,
  RFC822: ({ rfc822 }) => literal(rfc822),
  'RFC822.HEADER': ({ tree }) => literal(tree.header),
  'RFC822.TEXT': ({ tree }) => literal(tree.body),
}

function provided(
  name: string,
  message: ScriptMessage,
  { capabilities }: ScriptServerState,
): string {
  const gmail = capabilities.has('X-GM-EXT-1')
  const objectId = capabilities.has('OBJECTID')
  const values: Record<string, string | false> = {
    'X-GM-MSGID': gmail && message.emailId,
    'X-GM-THRID': gmail && message.threadId,
    'X-GM-LABELS':
      gmail &&
      `(${[...message.labels].map((label) => (/^\\\w+$/.test(label) ? string(label) : string(encodeName(label)))).join(' ')})`,
    EMAILID: objectId && `(${message.emailId})`,
    THREADID: objectId && `(${message.threadId})`,
  }
  const value = values[name]
  return value === undefined || value === false ? '' : `${name} ${value}`
}

/** Content of a message for a FETCH item such as `BODY[1.MIME]<0.100>` (RFC 9051 §6.4.5). */
function section(item: string, message: ScriptMessage): string {
  const [, path, start, length] = /^BODY(?:\.PEEK)?\[(.*)\](?:<(\d+)\.(\d+)>)?$/is.exec(item) ?? []
  if (path === undefined) return ''
  const text = textOf(path, message)
  if (text === undefined) return `BODY[${path}] NIL`
  if (start === undefined) return `BODY[${path}] ${literal(text)}`
  const piece = text.slice(Number(start), Number(start) + Number(length))
  return `BODY[${path}]<${start}> ${literal(piece)}`
}

function textOf(path: string, { rfc822, tree }: ScriptMessage): string | undefined {
  if (path === '') return rfc822
  const [, number = '', what = ''] = /^([\d.]*\d)?\.?(.*)$/s.exec(path) ?? []
  const part = number === '' ? tree : findPart(tree, number)
  if (!part) return undefined
  // HEADER and TEXT of a message/rfc822 part refer to the contained message.
  return pieceOf(part, number === '' ? part : (part.parts[0] ?? part), what)
}

function pieceOf(part: MimePart, inner: MimePart, what: string): string | undefined {
  const [, kind = '', names = ''] = /^([A-Z.]*) ?\(?(.*?)\)?$/is.exec(what) ?? []
  const fields = names.replaceAll('"', '').split(' ')
  const texts: Record<string, () => string> = {
    '': () => part.body,
    MIME: () => part.header,
    HEADER: () => inner.header,
    TEXT: () => inner.body,
    'HEADER.FIELDS': () => someFields(inner.header, fields),
    'HEADER.FIELDS.NOT': () => someFields(inner.header, fields, true),
  }
  return texts[kind.toUpperCase()]?.()
}

export const fetchCommands: Record<string, Handler> = { FETCH: onFetch, 'UID FETCH': onFetch }
