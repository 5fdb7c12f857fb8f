import type { AttachmentInfo, MessageDetail, ReadAddress } from '@posthorn/client'
import { addressText, bytesText, fieldLines } from '../../io/fields.ts'
import type { RunCommand } from '../../program/command.ts'

/** Maximum bytes of each text that `messages show` reads of a message. Longer texts are cut. */
const maxBytes = 1_048_576

/** Command `messages show`: prints a message without marking the message as read. */
export const showMessage: RunCommand = async ({ posthorn, output, signal }, args) => {
  const [account = '', message = ''] = args
  const client = await posthorn()
  const detail = await client.getMessage({ account, message, textType: '*', maxBytes }, { signal })
  await output.result(detail, messageLines(detail))
}

/**
 * Lines of `messages show` for people: header fields, attachments, and the plain text after an
 * empty line.
 */
export function messageLines(message: MessageDetail): string[] {
  const { attachments = [], text } = message
  return [
    ...fieldLines([
      ['message', message.id],
      ['mailbox', message.path],
      ['date', message.date],
      ['from', addressText(message.from)],
      ['to', listText(message.to)],
      ['cc', listText(message.cc)],
      ['reply to', listText(message.replyTo)],
      ['subject', message.subject],
      ['message-id', message.messageId],
      ['flags', message.flags.join(' ')],
      ['labels', message.labels?.join(', ')],
      ...attachments.map((attachment) => ['attachment', attachmentText(attachment)] as const),
    ]),
    '',
    ...textLines(text),
  ]
}

function textLines(text: MessageDetail['text']): string[] {
  if (text?.plain === undefined)
    return [text?.html === undefined ? '(no text)' : '(no plain text: --json has the HTML)']
  const lines = text.plain.trimEnd().split(/\r?\n/)
  return text.hasMore
    ? [...lines, '', '(text cut: `posthorn messages source` has all of it)']
    : lines
}

function listText(addresses: readonly ReadAddress[] | undefined): string | undefined {
  return addresses?.map(addressText).join(', ')
}

function attachmentText({ filename, contentType, encodedSize, id }: AttachmentInfo): string {
  return `${filename ?? 'without name'} (${contentType}, ${bytesText(encodedSize)} encoded, id ${id})`
}
