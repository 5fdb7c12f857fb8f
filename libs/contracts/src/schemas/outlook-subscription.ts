import { Type } from 'typebox'
import { Nullable, OneOf, Text } from './primitives.ts'

/** Change notification subscription of an account at Microsoft Graph. */
export const OutlookSubscription = Type.Object(
  {
    id: Type.Optional(Text('Id of the subscription at Microsoft Graph. Absent without one.')),
    expirationDateTime: Nullable(Text('End of the subscription (ISO 8601). Null without one.')),
    state: Type.Object(
      {
        state: OneOf(['created', 'error'], {
          description: '`created`, or `error` if the last creation or renewal failed.',
        }),
        time: Type.Optional(
          Type.Integer({
            description: 'Time of the last creation or renewal in milliseconds since 1970.',
          }),
        ),
        error: Nullable(Text('Reason of the failure. Null without one.')),
        retryCount: Type.Optional(
          Type.Integer({ description: 'Number of failed renewals since the last success.' }),
        ),
        createRetryCount: Type.Optional(
          Type.Integer({ description: 'Number of failed creations since the last success.' }),
        ),
      },
      { description: 'Result of the last creation or renewal.' },
    ),
  },
  {
    description:
      'Subscription to the messages of a mailbox at Microsoft Graph. Without one, the account is polled.',
  },
)
