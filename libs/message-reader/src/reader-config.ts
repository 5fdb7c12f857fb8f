import { duration, type Env, integer } from '@posthorn/config'

/**
 * Reads the limits of the message reader from environment variables.
 *
 * @throws ConfigError for an invalid variable
 */
export function readReaderConfig(env: Env) {
  return {
    /**
     * Number of processes that read messages. At least two, so that one message that takes long
     * does not block all other messages.
     */
    processes: integer(env, 'SVC_READER_PROCESSES', { fallback: 2, min: 2, max: 64 }),
    /** Maximum CPU time for reading one part of a message or request. */
    timeoutMs: duration(env, 'SVC_READER_TIMEOUT', { fallback: 2_000, min: 10, max: 60_000 }),
  }
}
