import { Type } from 'typebox'

/** A folder that is there, by its path. */
export const MailboxPath = Type.String({ minLength: 1, maxLength: 1024, format: 'mailbox-path' })

/** Where messages are or go: a path or a special use. */
export const MailboxTarget = Type.String({
  minLength: 1,
  maxLength: 1024,
  format: 'mailbox-path',
  description: 'A folder, or a special use such as `\\Archive`',
})

/** The name of a folder that is to be. The prefix of the account's personal namespace is added by itself. */
export const NewMailboxPath = Type.Union(
  [
    MailboxPath,
    Type.Array(Type.String({ minLength: 1, maxLength: 256, format: 'mailbox-path' }), {
      minItems: 1,
      maxItems: 100,
    }),
  ],
  { description: 'A path, or its levels one by one' },
)
