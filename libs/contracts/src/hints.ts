import { type Static, Type } from 'typebox'

/** A submission is due, or may be: what counts is its row in the outbox. Queue `sender.submissions`. */
export const SubmissionHint = Type.Object({ queueId: Type.String() })
export type SubmissionHint = Static<typeof SubmissionHint>

/**
 * Something that processes keep in memory changed. Fanout exchange `invalidate`; caches expire by themselves as well, so a lost one
 * costs seconds.
 */
export const Invalidation = Type.Object({
  topic: Type.Union([
    Type.Literal('settings'),
    Type.Literal('tokens'),
    Type.Literal('accounts'),
    Type.Literal('gateways'),
    Type.Literal('routes'),
    Type.Literal('changes'),
  ]),
  /** The account, gateway, token id or route id; absent: all. Of `changes`, always absent. */
  id: Type.Optional(Type.String()),
})
export type Invalidation = Static<typeof Invalidation>
