import * as account from './account.ts'
import * as exports_ from './exports.ts'
import * as mailbox from './mailbox.ts'
import * as message from './message.ts'
import * as reports from './reports.ts'
import * as sending from './sending.ts'
import * as tracking from './tracking.ts'

/** Contracts of all events, by event name. */
export const events = {
  ...account,
  ...mailbox,
  ...message,
  ...reports,
  ...sending,
  ...tracking,
  ...exports_,
}
export type EventName = keyof typeof events
export const eventNames = Object.keys(events) as EventName[]
