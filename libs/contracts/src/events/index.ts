import * as account from './account.ts'
import * as mailbox from './mailbox.ts'
import * as message from './message.ts'
import * as sending from './sending.ts'

export * from './account.ts'
export * from './mailbox.ts'
export * from './message.ts'
export * from './sending.ts'
export { type Envelope, type EventMessage, EventMessageSchema } from './envelope.ts'

/** Every event there is, by name. */
export const events = { ...account, ...mailbox, ...message, ...sending }
export type EventName = keyof typeof events
export const eventNames = Object.keys(events) as EventName[]
