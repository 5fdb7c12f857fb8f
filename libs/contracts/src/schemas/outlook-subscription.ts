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
            'State of the subscription at Microsoft Graph: `created`, or `error` if the last creation or renewal failed.',
        }),
        time: Type.Optional(
          Type.Integer({
            description:
              'Time of the last creation or renewal of the subscription at Microsoft Graph, in milliseconds since 1970.',
          }),
        ),
        error: Nullable(
          Text(
            'Error of the last creation or renewal of the subscription at Microsoft Graph. Null if there was no failure.',
          ),
        ),
        retryCount: Type.Optional(
          Type.Integer({
            description:
              'Number of failed attempts to renew the subscription at Microsoft Graph since the last success.',
          }),
        ),
        createRetryCount: Type.Optional(
          Type.Integer({
            description:
              'Number of failed attempts to create the subscription at Microsoft Graph since the last success.',
          }),
        ),
      },
      {
        description:
          'Result of the last creation or renewal of the subscription at Microsoft Graph.',
      },
    ),
  },
  {
    description:
      'Subscription of the account to change notifications of Microsoft Graph. If no subscription exists, the account is polled for changes.',
  },
)
