/** Keeps claims of this process apart: each is begun when those that it must not overtake are in hand. */
export interface ClaimLock {
  /** Of deliveries as they are made, of several partitions at the same time: an account has one partition. */
  shared<T>(claim: () => Promise<T>): Promise<T>
  /** Of what is due, of any partition: alone. */
  exclusive<T>(claim: () => Promise<T>): Promise<T>
  /** Resolves when what was being claimed at the time of the call is in hand. Never rejects. */
  idle(): Promise<unknown>
}

/**
 * A claim goes by what Postgres knows of the deliveries before: that they are this process's. That says nothing of whether they are in
 * hand yet; two claims side by side could be taken in hand in the wrong order.
 */
export function createClaimLock(): ClaimLock {
  const ofNew = new Set<Promise<unknown>>()
  let ofDue: Promise<unknown> | undefined

  return {
    async shared(claim) {
      while (ofDue) await ofDue
      const claimed = claim()
      const end: Promise<unknown> = settled(claimed).then(() => ofNew.delete(end))
      ofNew.add(end)
      return claimed
    },
    async exclusive(claim) {
      while (ofDue) await ofDue
      const claimed = Promise.all(ofNew).then(claim)
      ofDue = settled(claimed).then(() => (ofDue = undefined))
      return claimed
    },
    idle: () => Promise.all([...ofNew, ofDue]),
  }
}

function settled(work: Promise<unknown>): Promise<unknown> {
  return work.catch(() => undefined)
}
