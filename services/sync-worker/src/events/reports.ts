import { defined } from '@posthorn/contracts/defined'
import type { MessageNew } from '@posthorn/contracts/events/message'
import type { MessageBounce, MessageComplaint } from '@posthorn/contracts/events/reports'
import { type Bounces, limitJson, type NewEvent } from '@posthorn/db'
import type { ReadPart } from '@posthorn/message-reader'
import { type Complaint, type DeliveryReport, mayBeReport, type Report } from '@posthorn/reports'
import { hashMessageId } from '../store/announced.ts'
import type { FailedRecipient, SentMessage } from '../store/outbox.ts'
import {
  type EventAccount,
  type EventKey,
  type EventMailbox,
  mailboxEvent,
} from './mailbox-event.ts'

/** Maximum bytes of a report that are parsed. The remaining bytes are the returned message. */
const maxReadBytes = 1024 * 1024
/** Maximum size in bytes of a message that is fetched because it may be a report. */
const maxMessageBytes = 20 * 1024 * 1024
/** Maximum bytes of the original message's headers in all bounces of one report together. */
const maxHeaderBytes = 4 * 1024 * 1024

/** Data of a `messageBounce` event before data from the outbox are added. */
type ReportedBounce = MessageBounce & { truncated?: string[] }

/** Report in a new message: bounces, a complaint or a delivery report. */
export interface MessageReport {
  /** Fields that the report adds to the `messageNew` event of its message. */
  flags: Pick<MessageNew, 'isBounce' | 'isComplaint' | 'relatedMessageId' | 'deliveryReport'>
  bounces: ReportedBounce[]
  complaint?: MessageComplaint
}

interface ReportCandidate {
  id: string
  /** Size in bytes of the message that may be a report (bounce or complaint). */
  size: number
  headers: Record<string, string[]>
  specialUse: string | undefined
}

/** Functions that read a message which may be a report. */
export interface ReportSource {
  /**
   * Reads the first `maxBytes` of the message that may be a report. Undefined if the server returns
   * no bytes.
   */
  readStart: (maxBytes: number) => Promise<Buffer | undefined>
  read: ReadPart
}

/**
 * Reads the report that a new message contains. Interface spec, "messageNew data": bounces in Inbox
 * and Junk, complaints and delivery reports in the Inbox. Fetches a message only if its headers
 * look like a report.
 */
export async function readMessageReport(
  { readStart, read }: ReportSource,
  { id, size, headers, specialUse }: ReportCandidate,
): Promise<MessageReport | undefined> {
  const isInbox = specialUse === '\\Inbox'
  if ((!isInbox && specialUse !== '\\Junk') || size > maxMessageBytes || !mayBeReport(headers))
    return undefined
  const source = await readStart(maxReadBytes)
  const report = source && (await read('report', source))
  return report && toMessageReport(report, { id, isInbox })
}

function toMessageReport(
  report: Report,
  { id, isInbox }: { id: string; isInbox: boolean },
): MessageReport | undefined {
  const related = defined({ relatedMessageId: report.messageId })
  if (report.kind === 'complaint') {
    if (!isInbox) return undefined
    return {
      flags: { isComplaint: true, ...related },
      bounces: [],
      complaint: toComplaint(report, id),
    }
  }
  const { recipients, fields } = report
  const bounces = recipients.filter(({ action }) => action === 'failed' || action === 'delayed')
  const hasDelivered = recipients.some(({ action }) => action !== 'failed')
  const isDeliveryReport = isInbox && hasDelivered && Object.keys(fields).length > 0
  return {
    flags: {
      ...(bounces.length > 0 && { isBounce: true, ...related }),
      ...(isDeliveryReport && { deliveryReport: fields }),
    },
    bounces: toBounces(report, bounces, id),
  }
}

/**
 * Builds one bounce per recipient of a report, with the headers of the original message. A report
 * may name many recipients, so the size limit of the headers is divided among the bounces.
 */
function toBounces(
  { messageId, headers }: DeliveryReport,
  recipients: DeliveryReport['recipients'],
  id: string,
): ReportedBounce[] {
  const messageHeaders = headers && limitJson(headers, maxHeaderBytes / recipients.length)
  const truncated = messageHeaders === headers ? undefined : ['messageHeaders']
  return recipients.map((recipient) => ({
    bounceMessage: id,
    ...recipient,
    ...defined({ messageId, messageHeaders, truncated }),
  }))
}

function toComplaint({ arf, messageId, headers = {} }: Complaint, id: string): MessageComplaint {
  const first = (name: string) => headers[name]?.[0]
  return {
    complaintMessage: id,
    arf,
    headers: defined({
      messageId,
      from: first('from'),
      to: headers['to'],
      cc: headers['cc'],
      subject: first('subject'),
      date: first('date'),
    }),
  }
}

/** Sent messages that are still in the outbox, by Message-ID. */
export type SentMessages = ReadonlyMap<string, SentMessage>

/**
 * Creates the events of a report in a message: one event per bounced recipient, or one event for a
 * complaint. `key` is the event key of the message.
 */
export function reportEvents(
  account: EventAccount,
  mailbox: EventMailbox,
  { key, report, sent }: { key: EventKey; report: MessageReport; sent: SentMessages },
): NewEvent[] {
  const bounces = report.bounces.map((bounce) => {
    const data = { ...bounce, ...defined({ queueId: sent.get(bounce.messageId ?? '')?.queueId }) }
    return mailboxEvent(account, mailbox, {
      event: 'messageBounce',
      key: [...key, data.recipient],
      data,
    })
  })
  if (!report.complaint) return bounces
  const data = addRecipient(report.complaint, sent)
  return [...bounces, mailboxEvent(account, mailbox, { event: 'messageComplaint', key, data })]
}

/**
 * Adds the recipient of the sent message to a complaint that names no recipient, neither in the
 * report nor in To and Cc. If the outbox lists several recipients, the complaining recipient is
 * unknown and none is added. To and Cc are checked, because the outbox may list only the recipient
 * who accepted the message last.
 */
function addRecipient(complaint: MessageComplaint, sent: SentMessages): MessageComplaint {
  const { arf, headers } = complaint
  const isNamed = [headers.to ?? [], headers.cc ?? []].flat().some((text) => text.includes('@'))
  const { recipients = [] } = sent.get(headers.messageId ?? '') ?? {}
  if (arf.originalRcptTo.length > 0 || isNamed || recipients.length !== 1) return complaint
  return { ...complaint, arf: { ...arf, originalRcptTo: recipients } }
}

/** Message-IDs of the sent messages to which a report refers. */
export function reportedMessageIds({ bounces, complaint }: MessageReport): string[] {
  const ids = [...bounces.map(({ messageId }) => messageId), complaint?.headers.messageId]
  return [...new Set(ids.filter((id) => id !== undefined))]
}

/** Recipients who did not receive a message of the account, according to a report. */
export function failedRecipients({ bounces }: MessageReport): FailedRecipient[] {
  return bounces.flatMap(({ messageId, recipient, action }) =>
    messageId === undefined || action !== 'failed' ? [] : { messageId, recipient },
  )
}

/** Builds the rows of `bounces` for a report. Responses show bounces with the bounced message. */
export function bounceRows(account: string, { bounces }: MessageReport, date: Date): Bounces[] {
  return bounces.flatMap(({ bounceMessage, recipient, action, response, messageId }) =>
    messageId === undefined
      ? []
      : {
          account,
          messageHash: hashMessageId(messageId),
          bounceMessage,
          recipient,
          action,
          response: response.message,
          status: response.status ?? null,
          date,
        },
  )
}
