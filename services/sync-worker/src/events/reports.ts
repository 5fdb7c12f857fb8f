import type { FetchedMessage, MailSession } from '@posthorn/backends'
import type { MessageBounce, MessageComplaint, MessageNew } from '@posthorn/contracts'
import type { Bounces, NewEvent } from '@posthorn/db'
import {
  type Complaint,
  type DeliveryReport,
  mayBeReport,
  type Report,
  readReport,
} from '@posthorn/reports'
import type { Account } from '../sessions/account.ts'
import { hashMessageId } from '../store/announced.ts'
import type { MailboxRow } from '../store/mailboxes.ts'
import { mailboxEvent } from './ids.ts'
import { undefinedIfMissing } from '../messages/read-text.ts'

/** What a report is read from at most; the rest of a message is the one it returns. */
const maxReadBytes = 1024 * 1024
/** A larger message is not fetched for the sake of what it may report. */
const maxMessageBytes = 20 * 1024 * 1024

/** What a new message says about another one. */
export interface MessageReport {
  /** For its messageNew. */
  flags: Pick<MessageNew, 'isBounce' | 'isComplaint' | 'relatedMessageId' | 'deliveryReport'>
  bounces: MessageBounce[]
  complaint?: MessageComplaint
}

/**
 * Reads a new message for what it reports. Interface spec, "messageNew data": bounces in Inbox and Junk, complaints and delivery reports in
 * the Inbox. Fetches no message whose headers do not look like a report.
 */
export async function readMessageReport(
  session: Pick<MailSession, 'downloadSource'>,
  { uid, size }: Pick<FetchedMessage, 'uid' | 'size'>,
  {
    id,
    headers,
    specialUse,
  }: { id: string; headers: Record<string, string[]>; specialUse: string | undefined },
): Promise<MessageReport | undefined> {
  const isInbox = specialUse === '\\Inbox'
  if ((!isInbox && specialUse !== '\\Junk') || size > maxMessageBytes || !mayBeReport(headers))
    return undefined
  const source = await undefinedIfMissing(readStart(session, uid))
  const report = source && readReport(source)
  return report && toMessageReport(report, { id, isInbox })
}

/** The first bytes of a message. The rest is read as well: the session has other work to do. */
async function readStart(
  session: Pick<MailSession, 'downloadSource'>,
  uid: number,
): Promise<Buffer> {
  const { content } = await session.downloadSource(uid)
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of content) {
    if (length < maxReadBytes) pieces.push(piece)
    length += piece.length
  }
  return Buffer.concat(pieces)
}

function toMessageReport(
  report: Report,
  { id, isInbox }: { id: string; isInbox: boolean },
): MessageReport | undefined {
  const related = report.messageId === undefined ? {} : { relatedMessageId: report.messageId }
  if (report.kind === 'complaint') {
    const isUseful = isInbox && report.arf.originalRcptTo.length > 0
    return isUseful
      ? {
          flags: { isComplaint: true, ...related },
          bounces: [],
          complaint: complaintOf(report, id),
        }
      : undefined
  }
  const bounces = report.recipients.filter(
    ({ action }) => action === 'failed' || action === 'delayed',
  )
  const isGood = report.recipients.some(({ action }) => action !== 'failed')
  const deliveryReport =
    isInbox && isGood && Object.keys(report.fields).length > 0
      ? { deliveryReport: report.fields }
      : {}
  return {
    flags: { ...(bounces.length > 0 ? { isBounce: true, ...related } : {}), ...deliveryReport },
    bounces: bounces.map((fate) => bounceOf(report, fate, id)),
  }
}

function bounceOf(
  { messageId, headers }: DeliveryReport,
  fate: DeliveryReport['recipients'][number],
  id: string,
): MessageBounce {
  return {
    bounceMessage: id,
    ...fate,
    ...(messageId === undefined ? {} : { messageId }),
    ...(headers === undefined ? {} : { messageHeaders: headers }),
  }
}

function complaintOf({ arf, messageId, headers = {} }: Complaint, id: string): MessageComplaint {
  const one = (name: string) => headers[name]?.[0]
  const [from, subject, date] = ['from', 'subject', 'date'].map(one)
  const { to, cc } = headers
  return {
    complaintMessage: id,
    arf,
    headers: {
      ...(messageId === undefined ? {} : { messageId }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(cc === undefined ? {} : { cc }),
      ...(subject === undefined ? {} : { subject }),
      ...(date === undefined ? {} : { date }),
    },
  }
}

/** Ids in the outbox of messages that were sent from there, by Message-ID. */
export type SentMessages = ReadonlyMap<string, string>

/** The events of what a message reports, one for each recipient of a bounce. */
export function reportEvents(
  account: Account,
  row: MailboxRow,
  { uid, reported, sent }: { uid: number; reported: MessageReport; sent: SentMessages },
): NewEvent[] {
  const key = [String(row.uidValidity), uid, row.number]
  const bounces = reported.bounces.map((bounce) => {
    const queueId = sent.get(bounce.messageId ?? '')
    const data = { ...bounce, ...(queueId === undefined ? {} : { queueId }) }
    return mailboxEvent(account, row, {
      event: 'messageBounce',
      key: [...key, data.recipient],
      data,
    })
  })
  const { complaint: data } = reported
  return data
    ? [...bounces, mailboxEvent(account, row, { event: 'messageComplaint', key, data })]
    : bounces
}

/** What is remembered of bounces, for when the message they are about is read back. */
export function bounceRows(account: string, { bounces }: MessageReport, date: Date): Bounces[] {
  return bounces.flatMap(({ bounceMessage, recipient, action, response, messageId }) =>
    messageId === undefined
      ? []
      : [
          {
            account,
            messageHash: hashMessageId(messageId),
            bounceMessage,
            recipient,
            action,
            response: response.message,
            status: response.status ?? null,
            date,
          },
        ],
  )
}
