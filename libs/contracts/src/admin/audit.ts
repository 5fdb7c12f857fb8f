import { type Static, Type } from 'typebox'

const Time = Type.String({ format: 'date-time' })
const Filter = {
  /** Id or email address of the person whose actions in the audit log are selected. */
  person: Type.Optional(Type.String({ maxLength: 320 })),
  operation: Type.Optional(Type.String({ maxLength: 100 })),
  account: Type.Optional(Type.String({ maxLength: 256 })),
  /** Start of the period from which entries of the audit log are selected, included. */
  from: Type.Optional(Time),
  /** End of the period from which entries of the audit log are selected, excluded. */
  to: Type.Optional(Time),
}

/**
 * Filters of the audit log of the administration pages. A selected entry must match all of them.
 */
export const AuditFilter = Type.Object(Filter, { additionalProperties: false })
export type AuditFilter = Static<typeof AuditFilter>

/** Query that selects a page of the audit log. */
export const AuditPageQuery = Type.Object(
  {
    ...Filter,
    /** Value `nextCursor` of the previous page of the audit log. */
    cursor: Type.Optional(Type.String({ pattern: '^[0-9a-f]{27}$' })),
    pageSize: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  },
  { additionalProperties: false },
)
export type AuditPageQuery = Static<typeof AuditPageQuery>

/** Action of a person at the administration pages, as recorded in the audit log. */
export const AuditLogEntry = Type.Object({
  id: Type.String(),
  at: Time,
  /** Id of the person whose action the audit log records. Absent for an unknown person. */
  person: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  /** Role of the person at the time of the action that the audit log records. */
  role: Type.Optional(Type.String()),
  session: Type.Optional(Type.String()),
  address: Type.String(),
  operation: Type.String(),
  method: Type.String(),
  path: Type.String(),
  account: Type.Optional(Type.String()),
  /**
   * Names of the request members that an action in the audit log has changed, without their values.
   */
  keys: Type.Array(Type.String()),
  reason: Type.Optional(Type.String()),
  /**
   * Outcome of an action in the audit log: `done` or an error code. Absent while the action runs.
   * Absent forever if the process died during the action: the outcome is unknown.
   */
  outcome: Type.Optional(Type.String()),
  /** HTTP status of the response to the action that the audit log records. */
  status: Type.Optional(Type.Integer()),
  /** Time at which the action in the audit log ended. Absent if the outcome is unknown. */
  endedAt: Type.Optional(Time),
})
export type AuditLogEntry = Static<typeof AuditLogEntry>

/** Page of the audit log, newest entries first. */
export const AuditPage = Type.Object({
  entries: Type.Array(AuditLogEntry),
  /** Cursor of the next page of the audit log. Absent on the last page. */
  nextCursor: Type.Optional(Type.String()),
})
export type AuditPage = Static<typeof AuditPage>
