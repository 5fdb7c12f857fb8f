import { bytes, flag, names } from './setting-schemas.ts'

/** Schemas of the settings for the content of the event messageNew, by setting name. */
export const messageNewSettings = {
  notifyHeaders: names(
    'Names of the message headers that `messageNew` contains. `*` means all headers. None by default.',
  ),
  notifyText: flag(
    'If true, `messageNew` contains the texts of the message (plain text and HTML). Defaults to true.',
  ),
  notifyTextSize: bytes(
    'Maximum size in bytes of each message text in `messageNew`. Longer texts are cut. Defaults to 2,097,152.',
  ),
  notifyWebSafeHtml: flag(
    'If true, `messageNew` contains sanitized HTML instead of the original HTML of the message. Browsers can safely show sanitized HTML. Defaults to false.',
  ),
  notifyAttachments: flag(
    'If true, `messageNew` contains the contents of attachments in base64, at most 25 MiB per message. Defaults to false.',
  ),
  notifyAttachmentList: flag(
    'If true, `messageNew` lists all attachments of the message. The contents require `notifyAttachments`. Defaults to false.',
  ),
  notifyAttachmentSize: bytes(
    'Maximum size in bytes of an attachment whose content `messageNew` contains. No limit per attachment by default.',
  ),
  notifyCalendarEvents: flag(
    'If true, `messageNew` contains the events in calendar parts of the message, such as invitations. Defaults to false.',
  ),
  inboxNewOnly: flag(
    'If true, `messageNew` is sent only for messages that arrive in the Inbox, to all webhook targets. Defaults to false.',
  ),
} as const
