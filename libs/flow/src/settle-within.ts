/**
 * Waits at most `ms` milliseconds until `promise` is settled. Returns true if the promise was
 * settled in time. Never rejects. Intended for closing resources, where the result is unimportant.
 */
export async function settleWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  )
  return await withTimeout(settled, ms, () => false)
}

/**
 * Waits at most `ms` milliseconds for a promise. Returns the result of `promise`, or after the
 * timeout the result of `onTimeout`, which may also throw. The promise continues after the timeout,
 * and its later rejection is ignored.
 */
export function withTimeout<T>(promise: Promise<T>, ms: number, onTimeout: () => T): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      try {
        resolve(onTimeout())
      } catch (error) {
        reject(error as Error)
      }
    }, ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
