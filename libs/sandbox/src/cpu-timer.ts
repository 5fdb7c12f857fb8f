/**
 * Timer that measures the CPU time of its thread, so that a busy host does not shorten the call of
 * a user's function.
 */
export class CpuTimer {
  #end = Infinity

  start(ms: number): void {
    this.#end = threadCpuMs() + ms
  }

  stop(): void {
    this.#end = Infinity
  }

  isExpired(): boolean {
    return this.#end !== Infinity && threadCpuMs() > this.#end
  }
}

/** CPU time that this thread has used, in milliseconds. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
