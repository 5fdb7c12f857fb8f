import { type Static, Type } from 'typebox'
import { Bool, Int, Text } from './primitives.ts'

const text = { maxLength: 2_000 }

/**
 * Summary of a message by a language model. The text is untrusted, because the sender of the
 * message controls the input: show it as plain text, not as HTML, and let a user confirm actions.
 */
export const MessageSummary = Type.Object(
  {
    id: Type.Optional(
      Text('Id of the summary at the endpoint of the language model.', {
        maxLength: 256,
      }),
    ),
    tokens: Type.Optional(
      Int('Number of tokens that the language model used for the summary.', { minimum: 0 }),
    ),
    model: Type.Optional(
      Text('Name of the language model that wrote the summary.', { maxLength: 256 }),
    ),
    sentiment: Type.Optional(
      Text('Sentiment of the message according to the language model, such as `neutral`.', {
        maxLength: 64,
      }),
    ),
    summary: Text('Summary of the message by the language model.', {
      minLength: 1,
      maxLength: 4_000,
    }),
    shouldReply: Type.Optional(
      Bool('True if the sender of the message expects a reply, according to the language model.'),
    ),
    events: Type.Optional(
      Type.Array(
        Type.Object({
          description: Text('Description of the mentioned event by the language model.', text),
          startTime: Type.Optional(
            Text(
              'Start of the mentioned event, as written by the language model. The format is not fixed.',
            ),
          ),
        }),
        { maxItems: 20, description: 'Events that the message mentions, at most 20.' },
      ),
    ),
    actions: Type.Optional(
      Type.Array(
        Type.Object({
          description: Text('Description of the requested action by the language model.', text),
          dueDate: Type.Optional(
            Text(
              'Due date of the requested action, as written by the language model. The format is not fixed.',
            ),
          ),
        }),
        {
          maxItems: 20,
          description: 'Actions that the message requests of the recipient, at most 20.',
        },
      ),
    ),
  },
  {
    description:
      'Summary of the message by a language model. Only with the setting `generateEmailSummary`. All members are untrusted plain text, which the sender of the message can influence.',
  },
)
export type MessageSummary = Static<typeof MessageSummary>
