import { type Static, Type } from 'typebox'
import { described, Nullable, Text } from './primitives.ts'

/** Error that occurred when Pub/Sub was set up for an OAuth2 application. */
export const PubSubError = Type.Object({
  message: Text(
    'Text of the error of the Pub/Sub topic, of the subscription or of the reception of notifications.',
  ),
  description: Nullable(
    Text(
      'Error code of the provider for the failure of Pub/Sub. Null if the provider sends no code.',
    ),
  ),
})
export type PubSubError = Static<typeof PubSubError>
export const pubSubError = described(
  'Failure of the Pub/Sub topic, of the subscription or of the reception of notifications. Null if there is no failure.',
  Nullable(PubSubError),
)

/** Status of Pub/Sub for an OAuth2 application. */
export const PubSubStatusEntry = Type.Object({
  id: Text('Id of the OAuth2 application.'),
  name: Nullable(Text('Name of the OAuth2 application.')),
  lastError: described(
    'Error of the last failed token request of the OAuth2 application. Null if there is no error.',
    Nullable(
      Type.Object({
        response: Text(
          'Text of the error of the last failed token request of the OAuth2 application.',
        ),
      }),
    ),
  ),
  pubSubError,
})
