import { type Static, Type } from 'typebox'
import { Bool, Strict } from './primitives.ts'

const flags = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 128, format: 'message-flag' }), {
      maxItems: 1000,
      single: true,
      description,
    }),
  )
const labels = (description: string, options: { hidden?: true } = {}) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 128, format: 'mailbox-path' }), {
      maxItems: 1000,
      single: true,
      description,
      ...options,
    }),
  )

/** Change of flags and labels. `set` replaces all and excludes `add` and `delete`. */
export const FlagUpdate = Strict(
  {
    flags: Type.Optional(
      Strict(
        {
          add: flags('Flags to add, such as `\\Seen` or a keyword.'),
          delete: flags('Flags to remove.'),
          set: flags('Flags that replace all others.'),
        },
        {
          description:
            'Flags to add, delete or set. `set` replaces all flags and excludes `add` and `delete`.',
        },
      ),
    ),
    labels: Type.Optional(
      Strict(
        {
          add: labels('Labels to add.'),
          delete: labels('Labels to remove.'),
          // Undocumented: works for Gmail over IMAP only, because the Gmail API has no such call.
          set: labels('Labels that replace all others.', { hidden: true }),
        },
        { description: 'Labels to add or delete. Gmail accounts only.' },
      ),
    ),
  },
  { description: 'Changes of flags and labels.' },
)
export type FlagUpdate = Static<typeof FlagUpdate>

const steps = (kind: 'flags' | 'labels') =>
  Type.Optional(
    Type.Object(
      {
        add: Type.Optional(Bool(`True if ${kind} were added.`)),
        delete: Type.Optional(Bool(`True if ${kind} were removed.`)),
        set: Type.Optional(Bool(`True if ${kind} were replaced.`)),
      },
      { description: `Result of each requested change of ${kind}.` },
    ),
  )

/** Result per requested change. False if no message was changed. */
export const FlagResult = Type.Object({ flags: steps('flags'), labels: steps('labels') })
export type FlagResult = Static<typeof FlagResult>
