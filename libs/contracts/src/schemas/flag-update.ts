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
/** Of Gmail, which has no call for it on its API: taken over IMAP, and told of nowhere. */
const replacedLabels = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 128, format: 'mailbox-path' }), {
    maxItems: 100,
    single: true,
    hidden: true,
  }),
)

/** What is to become of flags and labels. `set` replaces all there are and stands alone. */
export const FlagUpdate = Strict({
  flags: Type.Optional(
    Strict(
      { add: flags, delete: flags, set: flags },
      { description: '`set` replaces all flags, and cannot be combined with the others' },
    ),
  ),
  labels: Type.Optional(
    Strict(
      { add: labels, delete: labels, set: replacedLabels },
      { description: 'Gmail accounts alone' },
    ),
  ),
})
export type FlagUpdate = Static<typeof FlagUpdate>

const done = Type.Optional(Type.Boolean())
const steps = Type.Optional(Type.Object({ add: done, delete: done, set: done }))

/** What was done, step by step as it was asked for. False: there was no message to do it to. */
export const FlagResult = Type.Object({ flags: steps, labels: steps })
export type FlagResult = Static<typeof FlagResult>
