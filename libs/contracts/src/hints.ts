import { type Static, Type } from 'typebox'

/**
 * Hint on the queue `sender.submissions` that a submission may be due. The receiving sender checks
 * the outbox row of the submission.
 */
export const SubmissionHint = Type.Object({ queueId: Type.String() })
export type SubmissionHint = Static<typeof SubmissionHint>

/**
 * Broadcast that a cached value has changed, on the fanout exchange `invalidate`. Cached values
 * also expire, so a lost broadcast only delays by seconds that a process sees the new value.
 */
export const Invalidation = Type.Object({
  topic: Type.Union([
    Type.Literal('settings'),
    Type.Literal('tokens'),
    Type.Literal('accounts'),
    Type.Literal('gateways'),
    Type.Literal('routes'),
    Type.Literal('changes'),
    Type.Literal('oauth2Apps'),
    Type.Literal('providerPauses'),
    Type.Literal('adminSessions'),
  ]),
  /**
   * Id of the account, gateway, token, route, application or session whose cached value has
   * changed. If absent, all cached values of the topic (kind of value) have changed. Always absent
   * for `changes`. For `adminSessions`, the id of the session. For `providerPauses`, the mail
   * provider, a blank and the id of the OAuth2 application.
   */
  id: Type.Optional(Type.String()),
  /**
   * Time in milliseconds for which no requests of the OAuth2 application may be sent to the mail
   * provider. Only present in a broadcast of the topic `providerPauses`. Such a broadcast does not
   * invalidate a cached value, because the pause is stored nowhere else.
   */
  pauseMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
})
export type Invalidation = Static<typeof Invalidation>
