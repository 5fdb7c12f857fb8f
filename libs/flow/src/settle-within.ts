/**
 * Waits until `promise` settles, at most `ms`. Returns true if the promise settled in time. Never
 * rejects: for closing resources whose result does not matter.
 */
export async function settleWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  )
  return await withTimeout(settled, ms, () => false)
}

/**
 * Awaits a promise for a limited time: result of `promise`, or of `onTimeout` after `ms`.
 * `onTimeout` may throw. The promise itself continues; its later rejection is ignored.
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
