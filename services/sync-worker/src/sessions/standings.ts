import type { AccountState } from '@posthorn/contracts'
import { deriveEventId } from '@posthorn/db'
import type { Deps } from '../deps.ts'
import { commitTogether, type Held, type Written } from '../events/commit-together.ts'
import type { AccountLease } from '../store/lease.ts'
import { saveStandings } from '../store/states.ts'
import { type Happening, type Standing, transition } from './states.ts'

/** Something that happened to an account. */
export interface Occurrence {
  readonly lease: AccountLease
  /** Part of the ids of the events that tell of it. */
  readonly registeredAt: number
  readonly happening: Happening
}

export interface Stands {
  readonly state: AccountState
  /** It was in another one before, or fails in another way. */
  readonly changed: boolean
}

/** Takes what happened into the stored state, with its events; that of accounts at the same time in one transaction. */
export type Standings = (occurrence: Occurrence) => Promise<Stands>

export function keepStandings(
  deps: Pick<Deps, 'db' | 'bus' | 'settings' | 'metrics' | 'published' | 'config'>,
): Standings {
  const { maxAuthFailureMs } = deps.config
  return commitTogether<Occurrence, Stands>(deps, async (tx, held) => {
    const moved = held.map((each) => move(each, maxAuthFailureMs))
    await saveStandings(
      tx,
      moved.flatMap(({ account, standing, same }) => (same ? [] : [{ ...standing, account }])),
    )
    return moved
  })
}

interface Moved extends Written<Stands> {
  account: string
  standing: Standing
  same: boolean
}

function move(
  { item: { lease, registeredAt, happening }, standing: found }: Held<Occurrence>,
  maxAuthFailureMs: number,
): Moved {
  const { account } = lease
  const { now, ...from } = found
  const { standing, events } = transition(from, happening, { now, maxAuthFailureMs })
  return {
    account,
    standing,
    same: standing === from,
    result: { state: standing.state, changed: standing.stateEpoch !== from.stateEpoch },
    events: events.map(({ event, key, data }) => ({
      event,
      account,
      data,
      eventId: deriveEventId([event, account, registeredAt, key]),
    })),
  }
}
