import { parseHeaders } from '@posthorn/mime'
import type { ReportParts, Part } from './parse-parts.ts'
import { originals } from './other-languages.ts'
import type { OriginalMessage } from './report.ts'

/** The headers of the original that are told: enough to know the message by. */
const told = [
  'from',
  'to',
  'cc',
  'subject',
  'date',
  'message-id',
  'return-path',
  'list-id',
  'x-ms-exchange-message-id',
]
const maxKept = 100

const returned = [
  'message/rfc822',
  'text/rfc822-headers',
  'text/rfc822-header',
  'message/rfc822-headers',
  'message/partial',
  'message/global',
  'message/global-headers',
]

/** Lines after which reports in plain text show the message they are about. */
const below =
  /^[ \t>*#-]{0,60}(?:this is a copy of (?:the|your) message|(?:below|here) (?:this line )?is (?:a copy of )?the (?:original )?(?:message|headers)|below is a copy|a copy of (?:the original|your) message|original (?:message|mail|e-mail)(?: (?:follows|headers?|info|is following))?|(?:the )?(?:headers? of the )?original message (?:follows|is following)|(?:original )?message headers? (?:follow|of)|the header of the original|unsent message (?:follows|below)|unsent message|message header follows|returned (?:mail|message)|returned message follows|message (?:text )?follows|bounced e-?mail|your (?:original )?message (?:follows|reads|headers)|undelivered message|headers of the (?:original )?message|header of your message|start of returned message|forwarded message|mensaje original|included is a copy|copy of (?:the|your) (?:original )?message|original mail info|content of the (?:original )?message)\b[^\n]{0,80}$/im

const belowElsewhere = new RegExp(`^[ \\t>*#_-]{0,60}(?:${originals})[^\\n]{0,80}$`, 'imu')

export interface ReportText {
  /** What the report says. */
  own: string
  /** Where the original begins, if it is shown in the text. */
  returned: string
}

/** Parts the words of a report from the message it shows. */
export function splitText(text: string): ReportText {
  const marker = below.exec(text) ?? belowElsewhere.exec(text)
  const bare = /^(?:Return-Path:|Received: (?:from|by|\())[^\n]*\n(?:[ \t][^\n]*\n|[\w-]+:)/m.exec(
    text,
  )
  const at = Math.min(marker ? marker.index : Infinity, bare ? bare.index : Infinity)
  if (at === Infinity) return { own: text, returned: '' }
  const end = at === marker?.index ? at + marker[0].length : at
  return { own: text.slice(0, at), returned: text.slice(end) }
}

/** What is known of the message that a report is about: from the part that returns it, else from the text. */
export function findOriginal(
  { headers, parts }: ReportParts,
  text: ReportText,
): OriginalMessage & { all: Record<string, string[]> } {
  const part = parts.find((part) => returned.includes(part.type)) ?? headersIn(parts)
  const candidates = [
    part?.headers ?? {},
    headersFrom(part?.text ?? ''),
    headersFrom(text.returned),
  ]
  const all = candidates.find(isHead) ?? {}
  const ids = [
    ...(all['message-id'] ?? []),
    ...(headers['x-failed-message-id'] ?? []),
    labelled(text.own),
  ]
  const messageId = ids.map(idIn).find((id) => id !== undefined)
  const kept = Object.entries(all)
    .filter(([name]) => told.includes(name) || name.startsWith('x-'))
    .slice(0, maxKept)
  return {
    ...(messageId === undefined ? {} : { messageId }),
    ...(kept.length > 0 ? { headers: Object.fromEntries(kept) } : {}),
    all,
  }
}

/** A part that holds headers under another name: a text file, or none at all. */
function headersIn(parts: readonly Part[]): Part | undefined {
  return parts.slice(1).find(({ type, text, headers }) => {
    if (type === 'message/delivery-status') return false
    // A boundary, and then the returned message at once: its headers were taken for those of the part.
    if (headers['message-id'] && headers['from']) return true
    return type.startsWith('text/') && isHead(headersFrom(text))
  })
}

function headersFrom(source: string): Record<string, string[]> {
  const start = source.replace(/^[\s>-]*\n/, '').replace(/^From [^\n]*\n/, '')
  const headers = parseHeaders(Buffer.from(unindented(start).slice(0, 65_536)))
  return headers
}

/** Some show the original moved to the right, or quoted. */
function unindented(text: string): string {
  const [, margin = ''] = /^([ \t]*(?:> ?)?)[\w-]+:/.exec(text) ?? []
  return margin === ''
    ? text
    : text
        .split('\n')
        .map((line) => (line.startsWith(margin) ? line.slice(margin.length) : line))
        .join('\n')
}

function isHead(headers: Record<string, string[]>): boolean {
  return ['message-id', 'from', 'to', 'subject', 'date'].filter((name) => headers[name]).length >= 2
}

function labelled(text: string): string | undefined {
  return /^[^\w\n]{0,20}message-?id[^\w\n<]{1,20}(<?[^\s<>@]{1,250}@[^\s<>]{1,250}>?)/im.exec(
    text,
  )?.[1]
}

function idIn(value: string | undefined): string | undefined {
  const [, id] = /<?\s*([^\s<>]{1,900})\s*>?/.exec(value ?? '') ?? []
  return id === undefined ? undefined : `<${id}>`
}
