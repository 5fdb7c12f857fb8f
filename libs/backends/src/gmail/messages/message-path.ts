import { MailApiError } from '../../mail-api/errors.ts'
import { relabelled } from '../errors.ts'

/** Form of a Gmail message or thread id: a number of 64 bits, written as hexadecimal digits. */
const idPattern = /^[\da-f]{1,16}$/i

/** True for ids that Gmail may have given to a message or thread. */
export function isGmailId(id: string): boolean {
  return idPattern.test(id)
}

/** Path of a Gmail message. @throws MailApiError `message-missing` for an id of another form */
export function messagePath(id: string): string {
  if (isGmailId(id)) return `/messages/${id}`
  throw new MailApiError('message-missing', 'The message does not exist.')
}

/**
 * Sends a request for one Gmail message. Gmail refuses a message id that is out of range with
 * status 400. That refusal becomes the failure `unreadable-id`.
 */
export async function unreadableIds<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    throw relabelled(error, {
      400: (reason) => (reason === 'invalidargument' ? 'unreadable-id' : undefined),
    })
  }
}
