/**
 * Names of the values in a process's configuration that are durations of its shutdown. The shutdown
 * timeout of the IMAP or SMTP proxy includes the time for draining connections.
 */
const shutdownFields = ['drainDelayMs', 'shutdownTimeoutMs']

/** Grace period of a pod in a manifest. The shutdown of the pod's process must be shorter. */
export interface GracePeriod {
  field: string
  seconds: number
  /** Seconds that a `preStop` hook of the pod takes before Kubernetes sends SIGTERM. */
  hookSeconds?: number
}

/**
 * Compares the grace period of a pod with the durations of the shutdown in the process's
 * configuration. Returns the fault, if any.
 */
export function graceFault(
  config: Readonly<Record<string, unknown>>,
  { field, seconds, hookSeconds = 0 }: GracePeriod,
): string | undefined {
  const shutdownMs = shutdownFields.reduce((sum, name) => sum + Number(config[name] ?? 0), 0)
  const needed = hookSeconds + shutdownMs / 1000
  if (seconds > needed) return undefined
  return `${field} is ${seconds} s, but drain and shutdown take ${needed} s`
}
