import { type Static, Type } from 'typebox'
import { Bool, Strict, Texts } from './primitives.ts'

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

/**
 * Change of the flags and labels of messages. `set` replaces all flags or labels, and is not
 * allowed together with `add` and `delete`.
 */
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
          // The member `set` for labels is undocumented, because it works only for Gmail over IMAP.
          // The Gmail API has no method that replaces all labels.
          set: labels('Labels that replace all others.', { hidden: true }),
        },
        { description: 'Labels to add or delete. Gmail accounts only.' },
      ),
    ),
  },
  { description: 'Changes of flags and labels.' },
)
export type FlagUpdate = Static<typeof FlagUpdate>

const steps = (kind: 'flags' | 'labels') => ({
  add: Type.Optional(Bool(`True if ${kind} were added.`)),
  delete: Type.Optional(Bool(`True if ${kind} were removed.`)),
  set: Type.Optional(Bool(`True if ${kind} were replaced.`)),
})
const resultDescription = (kind: string) => `Result of each requested change of ${kind}.`

const ofMany = (kind: 'flags' | 'labels') =>
  Type.Optional(Type.Object(steps(kind), { description: resultDescription(kind) }))

/**
 * Results for a change of flags and labels of several messages, by kind of change. False if the
 * change was applied to no message.
 */
export const FlagResult = Type.Object({ flags: ofMany('flags'), labels: ofMany('labels') })
export type FlagResult = Static<typeof FlagResult>

const ofOne = (kind: 'flags' | 'labels') =>
  Type.Optional(
    Type.Object(
      {
        ...steps(kind),
        result: Type.Optional(
          Texts(
            `All ${kind} of the message after the change. Absent if the message could not be read again.`,
          ),
        ),
      },
      { description: resultDescription(kind) },
    ),
  )

/** Result of a change of the flags and labels of one message. */
export const MessageFlagResult = Type.Object({ flags: ofOne('flags'), labels: ofOne('labels') })
export type MessageFlagResult = Static<typeof MessageFlagResult>
