/**
 * Members of a configuration with times of a shutdown. The timeout contains the drain of a proxy.
 */
const shutdownFields = ['drainDelayMs', 'shutdownTimeoutMs']

/** Grace period of a pod in a manifest, which the shutdown of its process must not reach. */
export interface GracePeriod {
  field: string
  seconds: number
  /** Time before SIGTERM that a `preStop` hook takes. */
  hookSeconds?: number
}

/** Compares the grace period of a pod with the times that the configuration grants a shutdown. */
export function graceFault(
  config: Readonly<Record<string, unknown>>,
  { field, seconds, hookSeconds = 0 }: GracePeriod,
): string | undefined {
  const shutdownMs = shutdownFields.reduce((sum, name) => sum + Number(config[name] ?? 0), 0)
  const needed = hookSeconds + shutdownMs / 1000
  if (seconds > needed) return undefined
  return `${field} is ${seconds} s, but drain and shutdown take ${needed} s`
}
