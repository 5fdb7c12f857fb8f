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
          add: flags(
            'Flags to add to each message, such as `\\Seen` or a keyword. Other flags are not changed.',
          ),
          delete: flags('Flags to remove from each message. Other flags are not changed.'),
          set: flags('Flags that replace all flags of each message.'),
        },
        {
          description:
            'Flags to add to messages or to delete from messages. `set` replaces all flags and excludes `add` and `delete`.',
        },
      ),
    ),
    labels: Type.Optional(
      Strict(
        {
          add: labels('Labels to add to each message, by name.'),
          delete: labels('Labels to remove from each message, by name.'),
          // The member `set` for labels is undocumented, because it works only for Gmail over IMAP.
          // The Gmail API has no method that replaces all labels.
          set: labels('Labels that replace all labels of each message, by name.', { hidden: true }),
        },
        {
          description:
            'Labels to add to messages or to delete from messages: Gmail labels, or Microsoft Graph categories. Rejected for other accounts.',
        },
      ),
    ),
  },
  { description: 'Changes of the flags and labels of messages.' },
)
export type FlagUpdate = Static<typeof FlagUpdate>

const steps = (kind: 'flags' | 'labels', messages: string) => ({
  add: Type.Optional(Bool(`True if ${kind} were added to ${messages}.`)),
  delete: Type.Optional(Bool(`True if ${kind} were removed from ${messages}.`)),
  set: Type.Optional(Bool(`True if all ${kind} of ${messages} were replaced.`)),
})
const resultDescription = (kind: string) =>
  `Results of the requested changes of ${kind}. Absent if the request changes no ${kind}.`

const ofMany = (kind: 'flags' | 'labels') =>
  Type.Optional(
    Type.Object(steps(kind, 'at least 1 message'), { description: resultDescription(kind) }),
  )

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
        ...steps(kind, 'the message'),
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
