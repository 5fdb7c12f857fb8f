import { fieldError, validationError, type MessageContent } from '@posthorn/contracts'

export type Mailbox = NonNullable<MessageContent['from']>

/** Whose account it is. */
export interface Owner {
  name: string
  email: string | null
}

/** Who the message is from, where it does not say so itself. @throws AppError `invalid` where nobody knows */
export function senderOf({ from }: { from?: Mailbox }, { name, email }: Owner): Mailbox {
  if (from) return from
  if (email === null)
    throw validationError([fieldError('from', 'is required, as the account has no address')])
  return { name, address: email }
}
