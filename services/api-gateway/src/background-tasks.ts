import type { Logger } from '@posthorn/telemetry'

/** What an answer does not wait for: hints and broadcasts, each of which something else makes good when it is lost. */
export interface BackgroundTasks extends AsyncDisposable {
  run(work: Promise<unknown>): void
}

/** Disposing waits for what is under way; each piece of work bounds its own time. */
export function createBackgroundTasks(log: Logger): BackgroundTasks {
  const running = new Set<Promise<unknown>>()
  return {
    run(work) {
      const quiet = work.catch((err: unknown) => log.debug({ err }, 'a hint was lost'))
      running.add(quiet)
      void quiet.finally(() => running.delete(quiet))
    },
    async [Symbol.asyncDispose]() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
