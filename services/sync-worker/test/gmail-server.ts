import {
  type ImapScript,
  type MailboxOptions,
  startImapScript,
  type TestUser,
} from '@posthorn/testkit'
import { mail } from './imap-client.ts'

/** Capabilities of Gmail after a login, limited to capabilities that the scripted server has. */
const capabilities =
  'IMAP4rev1 SASL-IR AUTH=PLAIN UNSELECT IDLE NAMESPACE QUOTA ID CHILDREN X-GM-EXT-1 UIDPLUS ENABLE MOVE CONDSTORE ESEARCH LIST-EXTENDED LIST-STATUS SPECIAL-USE'

export const paths = {
  all: '[Gmail]/Alle Nachrichten',
  spam: '[Gmail]/Spam',
  trash: '[Gmail]/Papierkorb',
  sent: '[Gmail]/Gesendet',
} as const

const special: Record<string, MailboxOptions> = {
  '[Gmail]': { attributes: ['\\Noselect', '\\HasChildren'] },
  [paths.all]: { attributes: ['\\All', '\\HasNoChildren'] },
  '[Gmail]/Entwürfe': { attributes: ['\\Drafts', '\\HasNoChildren'] },
  [paths.sent]: { attributes: ['\\Sent', '\\HasNoChildren'] },
  '[Gmail]/Markiert': { attributes: ['\\Flagged', '\\HasNoChildren'] },
  '[Gmail]/Wichtig': { attributes: ['\\Important', '\\HasNoChildren'] },
  [paths.spam]: { attributes: ['\\Junk', '\\HasNoChildren'] },
  [paths.trash]: { attributes: ['\\Trash', '\\HasNoChildren'] },
}

export interface GmailOptions {
  /** Labels that the user of the Gmail account created. Each label is also a mailbox. */
  labels?: readonly string[]
  /** True if Gmail's setting "Show in IMAP" is switched off for All Mail. */
  hidesAllMail?: boolean
}

/**
 * Gmail account with German mailbox names. Each mailbox has separate messages: tests put a message
 * with two labels into two mailboxes.
 */
export function startGmail({ labels = [], hidesAllMail = false }: GmailOptions = {}) {
  const shown = Object.entries(special).filter(([path]) => !(hidesAllMail && path === paths.all))
  return startImapScript({
    capabilities: capabilities.split(' '),
    greeting: '* OK Gimap ready for requests',
    mailboxes: {
      ...Object.fromEntries(shown),
      ...Object.fromEntries(labels.map((label) => [label, {}])),
    },
    users: { anna: 'secret' },
  })
}

export function userOf({ host, port, securePort }: ImapScript): TestUser {
  return {
    user: 'anna',
    pass: 'secret',
    address: 'anna@gmail.test',
    host,
    imapPort: port,
    imapsPort: securePort,
    submissionPort: 0,
  }
}

export interface Placed {
  subject?: string
  messageId?: string
  labels?: readonly string[]
  category?: string
  flags?: readonly string[]
  date?: Date
  emailId?: string
  threadId?: string
}

/** Puts a message into a mailbox. Returns the UID of the message. */
export function place(
  server: ImapScript,
  path: string,
  { subject = 'hello', messageId, ...placed }: Placed = {},
): number {
  const headers = messageId === undefined ? [] : [`Message-ID: ${messageId}`]
  return server.mailbox(path).append(mail({ subject, headers }), placed).uid
}
