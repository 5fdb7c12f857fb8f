import { type Static, Type } from 'typebox'
import { Bool, Int, Text } from './primitives.ts'

const text = { maxLength: 2_000 }

/**
 * Summary of a message by a language model. The text is untrusted, because the sender of the
 * message controls the input: show it as plain text, not as HTML, and let a user confirm actions.
 */
export const MessageSummary = Type.Object(
  {
    id: Type.Optional(Text('Id of the completion, assigned by the endpoint.', { maxLength: 256 })),
    tokens: Type.Optional(Int('Number of tokens used.', { minimum: 0 })),
    model: Type.Optional(Text('Name of the model.', { maxLength: 256 })),
    sentiment: Type.Optional(Text('Sentiment, such as `neutral`.', { maxLength: 64 })),
    summary: Text('Summary of the message.', { minLength: 1, maxLength: 4_000 }),
    shouldReply: Type.Optional(Bool('True if the sender expects a reply.')),
    events: Type.Optional(
      Type.Array(
        Type.Object({
          description: Text('Description of the event.', text),
          startTime: Type.Optional(Text('Start of the event.')),
        }),
        { maxItems: 20, description: 'Events that the message mentions.' },
      ),
    ),
    actions: Type.Optional(
      Type.Array(
        Type.Object({
          description: Text('Description of the action.', text),
          dueDate: Type.Optional(Text('Due date of the action.')),
        }),
        { maxItems: 20, description: 'Actions that the message requests.' },
      ),
    ),
  },
  {
    description:
      'Summary by a language model, if the setting `generateEmailSummary` is on. Untrusted plain text.',
  },
)
export type MessageSummary = Static<typeof MessageSummary>
