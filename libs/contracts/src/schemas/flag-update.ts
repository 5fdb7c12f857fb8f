import { type Static, Type } from 'typebox'
import { Strict } from './primitives.ts'

const flags = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 128, format: 'message-flag' }), {
    maxItems: 100,
    single: true,
  }),
)
const labels = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 128, format: 'mailbox-path' }), {
    maxItems: 100,
    single: true,
  }),
)
/** Undocumented: works for Gmail over IMAP only, because the Gmail API has no such call. */
const replacedLabels = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 128, format: 'mailbox-path' }), {
    maxItems: 100,
    single: true,
    hidden: true,
  }),
)

/** Change of flags and labels. `set` replaces all and excludes `add` and `delete`. */
export const FlagUpdate = Strict({
  flags: Type.Optional(
    Strict(
      { add: flags, delete: flags, set: flags },
      {
        description:
          'Flags to add, delete or set. `set` replaces all flags and excludes `add` and `delete`.',
      },
    ),
  ),
  labels: Type.Optional(
    Strict(
      { add: labels, delete: labels, set: replacedLabels },
      { description: 'Labels to add or delete. Gmail accounts only.' },
    ),
  ),
})
export type FlagUpdate = Static<typeof FlagUpdate>

const isChanged = Type.Optional(Type.Boolean())
const steps = Type.Optional(Type.Object({ add: isChanged, delete: isChanged, set: isChanged }))

/** Result per requested change. False if no message was changed. */
export const FlagResult = Type.Object({ flags: steps, labels: steps })
export type FlagResult = Static<typeof FlagResult>
