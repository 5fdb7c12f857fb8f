/** Asks for a run of a key, which begins after the asking; resolves when it has ended, rejects when it failed. */
export type RequestRun = (key: number) => Promise<void>

/** Runs of one key follow each other; many requests during a run are answered by one more. At most `width` keys run at once. */
export function coalesce(work: (key: number) => Promise<void>, width: number): RequestRun {
  const slots = createSlots(width)
  const latest = new Map<number, { begun: boolean; done: Promise<void> }>()

  return (key) => {
    const before = latest.get(key)
    if (before && !before.begun) return before.done
    const made = { begun: false, done: Promise.resolve() }
    made.done = (async () => {
      await before?.done.catch(() => undefined)
      const release = await slots()
      made.begun = true
      try {
        await work(key)
      } finally {
        release()
        if (latest.get(key) === made) latest.delete(key)
      }
    })()
    latest.set(key, made)
    return made.done
  }
}

/** Resolves with a function that gives the slot back. First come, first served. */
function createSlots(width: number): () => Promise<() => void> {
  let free = width
  const waiting: (() => void)[] = []
  const release = () => {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
  return async () => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    return release
  }
}
