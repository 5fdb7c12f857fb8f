import type { LiveEvent } from '../../data/events/live-events.ts'
import { Badge, type Tone } from '../../kit/content/badge.tsx'

type State = NonNullable<LiveEvent['deliveryState']>

const tones: Readonly<Record<State, Tone>> = {
  none: 'neutral',
  due: 'neutral',
  delivered: 'good',
  failed: 'bad',
  dropped: 'warn',
}

/** State of the webhook deliveries of an event. A live event has no state yet. */
export function DeliveryState({ state }: { state: State | undefined }) {
  if (state === undefined) return '–'
  return <Badge tone={tones[state]}>{state === 'none' ? 'no delivery' : state}</Badge>
}
