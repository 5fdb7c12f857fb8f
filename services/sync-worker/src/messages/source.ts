import type { MailSession } from '@posthorn/backends'
import type { ReadPart } from '@posthorn/message-reader'

/** Connection with a selected mailbox, and the readings of its account. */
export interface MessageSource<Method extends keyof MailSession = 'readParts'> {
  session: Pick<MailSession, Method>
  read: ReadPart
}
