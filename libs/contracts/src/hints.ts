import { type Static, Type } from 'typebox'

/** Hint that a submission may be due; its outbox row decides. Queue `sender.submissions`. */
export const SubmissionHint = Type.Object({ queueId: Type.String() })
export type SubmissionHint = Static<typeof SubmissionHint>

/**
 * Broadcast that a cached value changed. Fanout exchange `invalidate`. Caches also expire, so a
 * lost invalidation delays a change by seconds.
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
  ]),
  /**
   * Id of the account, gateway, token, route or application whose cached value changed. Absent:
   * all. Always absent for `changes`. For `providerPauses` the mail provider, a blank and the
   * OAuth2 application.
   */
  id: Type.Optional(Type.String()),
  /**
   * For `providerPauses`: time without requests of the OAuth2 application to the mail provider, in
   * milliseconds. Such a message is no invalidation: the message is the only copy of the pause.
   */
  pauseMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
})
export type Invalidation = Static<typeof Invalidation>
