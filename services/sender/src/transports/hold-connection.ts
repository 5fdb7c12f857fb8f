import { holdFailure } from '@posthorn/flow'
import { AttemptError, cancelled, timeoutError } from './transport.ts'

interface ConnectionLimits {
  connectMs: number
  greetingMs: number
  signal: AbortSignal
}

/**
 * Connects to a server that a tenant has chosen. All failures before the login are reported after
 * the same time, because a closed port fails earlier than a silent port.
 */
export async function withoutTime<Session>(
  connect: (limit: AbortSignal) => Promise<Session>,
  { connectMs, greetingMs, signal }: ConnectionLimits,
): Promise<Session> {
  const attempt = async (limit: AbortSignal) => {
    try {
      return await connect(limit)
    } catch (error) {
      if (limit.aborted && !signal.aborted) throw timeoutError('CONN', error)
      throw error
    }
  }
  const isHidden = (error: unknown) => error instanceof AttemptError
  try {
    return await holdFailure(attempt, { timeoutMs: connectMs + greetingMs, signal, isHidden })
  } catch (error) {
    throw signal.aborted ? cancelled(signal) : error
  }
}
