import type { StateChange, WebhookEventBody } from '../generated/events.ts'
import type * as baseline from './generated/baseline.ts'

// Type tests: the compiler rejects this folder if a program that was written for the recorded
// contracts would no longer compile. An intended change is recorded with `make client-baseline`.
// The operations and their inputs are tested in generated/programs.ts.

type Accepts<Recorded, Current extends Recorded> = Current

/** Names of the events in the recorded contracts. Each event must still exist. */
export type RecordedNames = Accepts<WebhookEventBody['event'], baseline.WebhookEventBody['event']>

type Body<N, U> = Extract<U, { event: N }>

/** Webhook events as a program for the recorded contracts reads them. */
export type RecordedEvents = {
  [N in baseline.WebhookEventBody['event']]: Accepts<
    Body<N, baseline.WebhookEventBody>,
    Body<N, WebhookEventBody>
  >
}

export type RecordedChange = Accepts<baseline.StateChange, StateChange>
