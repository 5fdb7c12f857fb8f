import { type Static, Type } from 'typebox'
import { AccountId, Bool, described, Int, OneOf, Strict, Text, Texts } from './primitives.ts'

/** Selection of the webhook target to test: a URL, the target of an account, or the default. */
export const WebhookTargetTest = Strict({
  url: Type.Optional(
    Text(
      'URL of the webhook target. A login in the URL is sent as HTTP Basic authentication. The headers of the setting `webhooksCustomHeaders` are sent only if the URL has the address of the default target. Not together with `account`.',
      { maxLength: 2048, format: 'http-url' },
    ),
  ),
  account: Type.Optional(
    described(
      'Id of the account whose webhook target is tested: its own target, or the default target if the account has none. Not together with `url`.',
      AccountId,
    ),
  ),
})
export type WebhookTargetTest = Static<typeof WebhookTargetTest>

/** Result classes of a test call to a webhook target, from the HTTP client `libs/net`. */
export const webhookTestOutcomes = [
  '2xx',
  'http-4xx',
  'http-5xx',
  'redirect-refused',
  'egress-blocked',
  'dns',
  'refused',
  'unreachable',
  'connect-timeout',
  'response-timeout',
  'tls',
  'reset',
  'protocol',
  'proxy-fault',
] as const

/** Result of a test call to a webhook target. */
export const WebhookTargetTestResult = Type.Object({
  success: Bool('True if the webhook target responded with a status from 200 to 299.'),
  address: Text('URL of the tested webhook target without login and query.'),
  eventId: Text('Id of the test event, sent in the header `X-SVC-Wh-Event-Id`.'),
  outcome: OneOf(webhookTestOutcomes, {
    description:
      'Outcome of the test call: class of the HTTP status, such as `2xx` or `http-5xx`, or the reason without a response, such as `dns`.',
  }),
  status: Type.Optional(
    Int('HTTP status of the response. Absent if the webhook target did not respond.'),
  ),
  response: Text(
    'Beginning of the body of the response, at most 2,000 characters. Empty without a response.',
  ),
  error: Type.Optional(
    Text('Text of the error of the test call, at most 500 characters. Absent with a response.'),
  ),
  skippedHeaders: Texts(
    'Names of custom headers that are not sent, because the names are reserved or invalid.',
  ),
  durationMs: Int('Duration of the test call, in milliseconds.'),
})
export type WebhookTargetTestResult = Static<typeof WebhookTargetTestResult>
