import { Type } from 'typebox'
import { Nullable, OneOf, Text } from './primitives.ts'

/** Change notification subscription of an account at Microsoft Graph. */
export const OutlookSubscription = Type.Object(
  {
    id: Type.Optional(
      Text('Id of the subscription at Microsoft Graph. Absent if no subscription exists.'),
    ),
    expirationDateTime: Nullable(
      Text(
        'Time at which the subscription at Microsoft Graph ends unless renewed (ISO 8601). Null if no subscription exists.',
      ),
    ),
    state: Type.Object(
      {
        state: OneOf(['created', 'error'], {
          description:
            'State of the subscription: `created`, or `error` if the last creation or renewal failed.',
        }),
        time: Type.Optional(
          Type.Integer({
            description:
              'Time of the last creation or renewal of the subscription, in milliseconds since 1970.',
          }),
        ),
        error: Nullable(
          Text('Reason of the failed creation or renewal. Null if there was no failure.'),
        ),
        retryCount: Type.Optional(
          Type.Integer({
            description: 'Number of failed renewals of the subscription since the last success.',
          }),
        ),
        createRetryCount: Type.Optional(
          Type.Integer({
            description: 'Number of failed creations of the subscription since the last success.',
          }),
        ),
      },
      { description: 'Result of the last creation or renewal of the subscription.' },
    ),
  },
  {
    description:
      'Subscription to change notifications of the account at Microsoft Graph. If no subscription exists, the account is polled for changes.',
  },
)
