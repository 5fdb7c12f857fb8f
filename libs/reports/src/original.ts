import { defined } from '@posthorn/contracts/defined'
import { parseHeaders } from '@posthorn/mime'
import type { Headers, Part, ReportParts } from './parse-parts.ts'
import { originalMarkers } from './other-languages.ts'
import type { OriginalMessage } from './report.ts'

/**
 * Names of those headers of the original message that identify the message and that events about a
 * report contain. `x-` headers are added.
 */
const reportedHeaders = [
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
const maxHeaders = 100

const returnedTypes = [
  'message/rfc822',
  'text/rfc822-headers',
  'text/rfc822-header',
  'message/rfc822-headers',
  'message/partial',
  'message/global',
  'message/global-headers',
]

/** Pattern of the lines before the original message in English delivery reports in plain text. */
const marker =
  /^[ \t>*#-]{0,60}(?:this is a copy of (?:the|your) message|(?:below|here) (?:this line )?is (?:a copy of )?the (?:original )?(?:message|headers)|below is a copy|a copy of (?:the original|your) message|original (?:message|mail|e-mail)(?: (?:follows|headers?|info|is following))?|(?:the )?(?:headers? of the )?original message (?:follows|is following)|(?:original )?message headers? (?:follow|of)|the header of the original|unsent message (?:follows|below)|unsent message|message header follows|returned (?:mail|message)|returned message follows|message (?:text )?follows|bounced e-?mail|your (?:original )?message (?:follows|reads|headers)|undelivered message|headers of the (?:original )?message|header of your message|start of returned message|forwarded message|mensaje original|included is a copy|copy of (?:the|your) (?:original )?message|original mail info|content of the (?:original )?message)\b[^\n]{0,80}$/im

const foreignMarker = new RegExp(`^[ \\t>*#_-]{0,60}(?:${originalMarkers})[^\\n]{0,80}$`, 'imu')

/** Text of a delivery report or complaint, split from the quoted message. */
export interface ReportText {
  /**
   * Text of the delivery report or complaint itself, without the message that the report quotes.
   */
  own: string
  /**
   * Original message quoted in the text of a delivery report or complaint; empty if the text quotes
   * no message.
   */
  returned: string
}

/** Separates the text of a delivery report or complaint from the message that it quotes. */
export function splitText(text: string): ReportText {
  const marked = marker.exec(text) ?? foreignMarker.exec(text)
  const unmarked =
    /^(?:Return-Path:|Received: (?:from|by|\())[^\n]*\n(?:[ \t][^\n]*\n|[\w-]+:)/m.exec(text)
  const at = Math.min(marked?.index ?? Infinity, unmarked?.index ?? Infinity)
  if (at === Infinity) return { own: text, returned: '' }
  const end = at === marked?.index ? at + marked[0].length : at
  return { own: text.slice(0, at), returned: text.slice(end) }
}

/**
 * Finds the original message of a delivery report or complaint: in the part that returns the
 * message, else in the text of the report.
 */
export function findOriginal(
  { headers, parts }: ReportParts,
  text: ReportText,
): OriginalMessage & { all: Headers } {
  const part = parts.find((part) => returnedTypes.includes(part.type)) ?? findHeaderPart(parts)
  const candidates = [
    part?.headers ?? {},
    parseQuotedHeaders(part?.text ?? ''),
    parseQuotedHeaders(text.returned),
  ]
  const all = candidates.find(isMessageHead) ?? {}
  const ids = [
    ...(all['message-id'] ?? []),
    ...(headers['x-failed-message-id'] ?? []),
    labelledId(text.own),
  ]
  const reported = Object.entries(all)
    .filter(([name]) => reportedHeaders.includes(name) || name.startsWith('x-'))
    .slice(0, maxHeaders)
  return defined({
    messageId: ids.map(toMessageId).find((id) => id !== undefined),
    headers: reported.length > 0 ? Object.fromEntries(reported) : undefined,
    all,
  })
}

/**
 * Finds the MIME part of a delivery report or complaint that has the original message's headers but
 * another type, such as a text attachment.
 */
function findHeaderPart(parts: readonly Part[]): Part | undefined {
  return parts.slice(1).find(({ type, text, headers }) => {
    if (type === 'message/delivery-status') return false
    // If the original message directly follows the MIME boundary, its headers were parsed as
    // headers of the part of the delivery report.
    if (headers['message-id'] && headers['from']) return true
    return type.startsWith('text/') && isMessageHead(parseQuotedHeaders(text))
  })
}

function parseQuotedHeaders(source: string): Headers {
  const start = source
    .slice(0, 65_536)
    .replace(/^[\s>-]*\n/, '')
    .replace(/^From [^\n]*\n/, '')
  return parseHeaders(Buffer.from(unindent(start)))
}

/** Removes the indentation or quote prefix of a quoted original message. */
function unindent(text: string): string {
  const [, margin = ''] = /^([ \t]*(?:> ?)?)[\w-]+:/.exec(text) ?? []
  return margin === ''
    ? text
    : text
        .split('\n')
        .map((line) => (line.startsWith(margin) ? line.slice(margin.length) : line))
        .join('\n')
}

function isMessageHead(headers: Headers): boolean {
  return ['message-id', 'from', 'to', 'subject', 'date'].filter((name) => headers[name]).length >= 2
}

function labelledId(text: string): string | undefined {
  return /^[^\w\n]{0,20}message-?id[^\w\n<]{1,20}(<?[^\s<>@]{1,250}@[^\s<>]{1,250}>?)/im.exec(
    text,
  )?.[1]
}

function toMessageId(value: string | undefined): string | undefined {
  const [id] = /[^\s<>]{1,900}/.exec(value ?? '') ?? []
  return id === undefined ? undefined : `<${id}>`
}
