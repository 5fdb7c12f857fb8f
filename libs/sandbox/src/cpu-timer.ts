/** The thread's time. What it does not get of the processor is not held against a function. */
export class CpuTimer {
  #end = Infinity

  start(ms: number): void {
    this.#end = threadMs() + ms
  }

  stop(): void {
    this.#end = Infinity
  }

  isExpired(): boolean {
    return this.#end !== Infinity && threadMs() > this.#end
  }
}

/** What this thread had of the processor. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
