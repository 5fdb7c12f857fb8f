/** Times of a shutdown in the configuration. The timeout contains the drain of a proxy. */
const shutdownFields = ['drainDelayMs', 'shutdownTimeoutMs']

/** Grace period of a manifest, which a shutdown must not reach. */
export interface GracePeriod {
  field: string
  seconds: number
  /** Time before SIGTERM, of a `preStop` hook. */
  hookSeconds?: number
}

/** Compares a grace period with the times that the configuration grants a shutdown. */
export function graceFault(
  config: Readonly<Record<string, unknown>>,
  { field, seconds, hookSeconds = 0 }: GracePeriod,
): string | undefined {
  const shutdownMs = shutdownFields.reduce((sum, name) => sum + Number(config[name] ?? 0), 0)
  const needed = hookSeconds + shutdownMs / 1000
  if (seconds > needed) return undefined
  return `${field} is ${seconds} s, but drain and shutdown take ${needed} s`
}
